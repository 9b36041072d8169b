"""Malware scanners: what looks at the bytes of a document before anything opens it."""
