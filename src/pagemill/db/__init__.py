"""Every SQL statement of pagemill, and the migrations."""
