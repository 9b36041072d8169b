"""What differs between tenants, read from the rows again and again by every process: limits and routing rules."""

from pagemill.db import routing_rules, tenant_limits
from pagemill.mill import Mill


def refresh_limits(mill: Mill) -> None:
    """Read the limits of tenants that differ from the settings, and the routing rules of all tenants if they changed."""
    mill.limits.replace(mill.db.read(tenant_limits.everyone))
    if mill.db.read(routing_rules.version) != mill.rules.version:
        refresh_rules(mill)


def refresh_rules(mill: Mill) -> None:
    """Read the routing rules of all tenants."""
    # The version first: rules that change in between are read again next time.
    mill.rules.replace(
        *mill.db.read(lambda conn: (routing_rules.version(conn), routing_rules.everyone(conn)))
    )
