"""Office files as training pages: rendered by LibreOffice, with the truth that their XML tells."""
