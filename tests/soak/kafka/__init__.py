"""A stream from a real broker of Kafka: `make kafka`."""
