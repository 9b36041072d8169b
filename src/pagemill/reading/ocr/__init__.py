"""OCR: text recognised in images of pages."""
