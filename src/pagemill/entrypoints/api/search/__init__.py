"""Search over everything that was read."""
