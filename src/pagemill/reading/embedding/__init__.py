"""Embeddings: texts as vectors, by a small model of this machine or by a server, and the nearest among stored ones."""

import os

# Before numpy is loaded: further threads make no product of a matrix and a vector quicker, for memory sets its pace, and each
# spins for a while afterwards, on the core that the other half of a hybrid search needs.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
