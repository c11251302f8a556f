"""The registered warehouses as a Paimon REST catalog, for Spark, Flink and pypaimon. Spec: 04, C4."""
