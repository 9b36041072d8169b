"""The benchmark and the corpus run work at all; what they measure is for a quiet machine."""
