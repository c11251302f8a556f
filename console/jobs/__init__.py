"""Plans and jobs: what may change a table, and what did."""
