"""Embeddings: texts as vectors, by a small model of this machine or by a server, and the nearest among stored ones."""
