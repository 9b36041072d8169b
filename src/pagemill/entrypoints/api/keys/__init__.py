"""Keys and the audit log, for those who administer a tenant or the installation."""
