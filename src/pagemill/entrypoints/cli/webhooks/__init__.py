"""`pagemill webhooks`: who is notified of what, and what was sent."""
