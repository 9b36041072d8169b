"""`pagemill batches`: many documents at once."""
