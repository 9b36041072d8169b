"""Providers of text, which of them are installed, and the chain that pages go through."""
