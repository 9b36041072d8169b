"""The HTTP API: routes parse, call one function, and render."""
