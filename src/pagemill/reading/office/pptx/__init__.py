"""Presentations: the PPTX family."""
