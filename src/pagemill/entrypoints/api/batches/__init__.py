"""Batches: many documents in one request, one status for all, and their results in one answer."""
