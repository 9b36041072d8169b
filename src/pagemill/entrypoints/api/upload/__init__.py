"""Uploads: documents that come in over HTTP."""
