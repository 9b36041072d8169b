"""How well documents are read, measured beside other engines on documents whose right reading is known."""
