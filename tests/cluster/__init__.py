"""Real servers from wheels, faults between them, and a small installation of pagemill over them."""
