"""The page as it was found, before it is laid out: the same for every source."""
