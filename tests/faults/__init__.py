"""Faults, caused for real, and what must still hold after them."""
