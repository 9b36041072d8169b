"""Recognition: pages, or the pictures on them, go through a chain of recognisers, and what these read is put in its place."""
