"""`pagemill doctor`."""
