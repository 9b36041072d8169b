"""Word documents: the DOCX family."""
