"""Where sheets come from: text layers and recognised lines."""
