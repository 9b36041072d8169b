"""Where people and machines come in: they parse, call one function, and render."""
