"""Row previews."""
