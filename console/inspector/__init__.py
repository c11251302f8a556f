"""Read-only endpoints over core: snapshots, manifests, files, buckets, schemas, refs."""
