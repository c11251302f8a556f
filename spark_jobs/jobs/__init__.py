"""One module a job; each runs one `JobSpec` and returns its `Result`."""
