"""Artifacts: what was made of a document, whole and page by page."""
