"""The console under the budgets of its design, and under a crowd: see `__main__`."""
