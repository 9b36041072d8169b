"""The routes of webhooks: endpoints and deliveries."""
