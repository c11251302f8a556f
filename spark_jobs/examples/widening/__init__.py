"""Two streams widen one table without a join, and a third layer follows its changes; docs/pipeline.md."""
