"""Who changed what: an append-only log, chained by hashes."""
