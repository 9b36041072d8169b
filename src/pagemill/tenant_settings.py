"""What differs between tenants, read from the rows again and again by every process: limits and routing rules."""

from pagemill.db import routing_rules, tenant_limits
from pagemill.mill import Mill


def refresh_limits(mill: Mill) -> None:
    """Read the limits of tenants that differ from the settings, and the routing rules of all tenants."""
    mill.limits.replace(mill.db.read(tenant_limits.everyone))
    refresh_rules(mill)


def refresh_rules(mill: Mill) -> None:
    """Read the routing rules of all tenants."""
    mill.rules.replace(mill.db.read(routing_rules.everyone))
