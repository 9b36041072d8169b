"""Which network addresses may be connected to: public ones, and those of networks that the operator allows."""

from collections.abc import Sequence
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

from pagemill.errors import Refused

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# The IANA registries of special addresses, and Azure's platform address, which looks public.
SPECIAL_V4 = tuple(
    IPv4Network(one)
    for one in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "168.63.129.16/32",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/3",
    )
)
GLOBAL_V6 = IPv6Network("2000::/3")
SPECIAL_V6 = tuple(
    IPv6Network(one) for one in ("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")
)
# Prefixes of 96 bits that end in an IPv4 address: mapped, compatible, translated, and NAT64.
MAPPED, COMPATIBLE = IPv6Network("::ffff:0:0/96"), IPv6Network("::/96")
TRANSLATED, NAT64 = IPv6Network("::ffff:0:0:0/96"), IPv6Network("64:ff9b::/96")
ENDS_IN_V4 = (MAPPED, COMPATIBLE, TRANSLATED, NAT64)
ISATAP = (0x0000_5EFE, 0x0200_5EFE)
V4_MASK = 0xFFFF_FFFF


def allowed_networks(listed: str) -> tuple[Network, ...]:
    """The networks of PAGEMILL_OUTBOUND_ALLOW; raises Refused if one is not in CIDR form."""
    names = [one.strip() for one in listed.split(",") if one.strip()]
    try:
        return tuple(ip_network(name) for name in names)
    except ValueError as error:
        raise Refused(f"PAGEMILL_OUTBOUND_ALLOW takes networks such as 10.0.0.0/8: {error}.") from error


def is_allowed(address: str, allowed: Sequence[Network] = ()) -> bool:
    """Whether an address may be connected to, given as the resolver returns it."""
    parsed = ip_address(address.partition("%")[0])
    return is_listed(parsed, allowed) or is_public(parsed)


def is_listed(address: Address, allowed: Sequence[Network]) -> bool:
    """Whether an address, or the IPv4 address inside it, is in one of the networks."""
    inner = embedded_v4(address)
    return any(address in network or (inner is not None and inner in network) for network in allowed)


def is_public(address: Address) -> bool:
    """Whether an address belongs to a host on the public internet."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in SPECIAL_V4)
    inner = embedded_v4(address)
    # On a network with IPv6 alone every public IPv4 host is reached through NAT64.
    if inner is not None and (address in NAT64 or address in MAPPED):
        return is_public(inner)
    return inner is None and address in GLOBAL_V6 and not any(address in network for network in SPECIAL_V6)


def embedded_v4(address: Address) -> IPv4Address | None:
    """The IPv4 address that an IPv6 address leads to, if any."""
    if isinstance(address, IPv4Address):
        return None
    bits = int(address)
    if any(address in network for network in ENDS_IN_V4) or (bits >> 32) & V4_MASK in ISATAP:
        return IPv4Address(bits & V4_MASK)
    return address.sixtofour
