"""`pagemill admin`."""
