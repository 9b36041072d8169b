"""Upgrades: this release beside the former one, both ways round."""
