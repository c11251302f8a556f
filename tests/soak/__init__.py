"""What only time and many processes show. Short in ./test, long in make soak (LAKESCOPE_SOAK_SECONDS)."""
