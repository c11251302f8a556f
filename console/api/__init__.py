"""The REST API's frame: errors, lists, permissions, caching, OpenAPI."""
