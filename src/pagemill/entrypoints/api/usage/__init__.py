"""Usage: what each tenant had done on each day."""
