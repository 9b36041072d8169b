"""Corrections: what people changed of a document and of its facts."""
