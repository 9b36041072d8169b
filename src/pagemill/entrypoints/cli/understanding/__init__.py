"""`pagemill rules`, `pagemill classes` and `pagemill ask`."""
