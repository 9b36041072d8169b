"""Malware scanning, with a real clamd where there is one."""
