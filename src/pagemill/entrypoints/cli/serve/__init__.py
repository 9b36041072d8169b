"""`pagemill serve` and `pagemill worker`."""
