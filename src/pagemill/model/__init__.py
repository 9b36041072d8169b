"""Facts without I/O: states, options, pages and blocks, events, messages."""
