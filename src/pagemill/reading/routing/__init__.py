"""How a page is to be read, and why: by its text layer, by recognising its text, by both, or not at all."""
