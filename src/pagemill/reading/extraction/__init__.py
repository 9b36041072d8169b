"""Extraction: values of a document in the shape of a JSON Schema, each with the words and boxes that it comes from."""
