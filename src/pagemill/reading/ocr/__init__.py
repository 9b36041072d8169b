"""OCR: letters recognised in pictures of pages."""
