"""Health: probes, metrics and the operations of the service."""
