"""Keys and the audit log, for administrators of a tenant or the installation."""
