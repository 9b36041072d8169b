"""`pagemill worker`: takes turns on any machine, woken by Celery."""
