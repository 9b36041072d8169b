"""Every SQL sentence of pagemill, and the migrations."""
