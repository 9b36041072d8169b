"""Who may log in with an OpenID Connect provider: rules that turn the claims of an account into a tenant and a scope.

A rule is `claim=value>tenant:scope`. The value may have the wildcards * and ?, the claim may be a path such as
`realm_access.roles`, and a claim with several values fits if one of them does. The tenant `{value}` is the one that the
claim names.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from pagemill.errors import LoginNotAllowed, Refused
from pagemill.model.tenants import DEFAULT_TENANT, TENANT_NAME, Scope

Claims = Mapping[str, object]

RULE = re.compile(
    r"\s*(?P<claim>[^=>,\s]+)=(?P<value>[^>]+)>(?P<tenant>[a-z0-9][a-z0-9._-]{0,62}|\{value\})"
    r":(?P<scope>read|write|admin)\s*(?:,|$)"
)
TENANT_FROM_CLAIM = "{value}"
# In the order in which they say best to others who somebody is.
NAMES = ("email", "preferred_username", "name", "sub")
MOST_NAME_CHARACTERS = 80
MOST_SUBJECT_CHARACTERS = 255


@dataclass(frozen=True, slots=True)
class LoginRule:
    """One rule: which accounts it is for, and what they get."""

    claim: str
    value: str
    tenant: str
    scope: Scope


@dataclass(frozen=True, slots=True)
class LoginGrant:
    """Somebody who may log in: who that is, and for what."""

    subject: str
    name: str
    tenant: str
    scope: Scope


def parse_rules(text: str) -> tuple[LoginRule, ...]:
    """The rules of PAGEMILL_OIDC_ACCESS; Refused names the first that is none."""
    rules, place = [], 0
    while place < len(text.rstrip()):
        found = RULE.match(text, place)
        if found is None:
            raise Refused(
                "PAGEMILL_OIDC_ACCESS takes rules such as groups=editors>acme:write, separated by commas; "
                f"this is none: {text[place : place + 80].strip()}"
            )
        claim, value, tenant, scope = found.group("claim", "value", "tenant", "scope")
        rules.append(LoginRule(claim, value.strip(), tenant, Scope(scope)))
        place = found.end()
    return tuple(rules)


def grant_login(claims: Claims, rules: Sequence[LoginRule]) -> LoginGrant:
    """What an account gets by the first rule that fits; LoginNotAllowed if none does."""
    name = account_name(claims)
    for rule in rules:
        for value in fitting_values(claims, rule):
            tenant = value if rule.tenant == TENANT_FROM_CLAIM else rule.tenant
            return LoginGrant(str(claims["sub"]), name, tenant, rule.scope)
    raise LoginNotAllowed(
        f"{name} is known to the provider, but {LoginNotAllowed.advice()[0].lower()}{LoginNotAllowed.advice()[1:]}"
    )


def fitting_values(claims: Claims, rule: LoginRule) -> list[str]:
    """The values of a claim that a rule fits; an e-mail address counts only if the provider has verified it."""
    if rule.claim == "email" and claims.get("email_verified") is not True:
        return []
    fitting = [value for value in claim_values(claims, rule.claim) if fnmatchcase(value, rule.value)]
    return [value for value in fitting if is_tenant(value)] if rule.tenant == TENANT_FROM_CLAIM else fitting


def is_tenant(value: str) -> bool:
    """Whether a claim may name a tenant like this; the operator's own is given by a rule that names it."""
    return TENANT_NAME.fullmatch(value) is not None and value != DEFAULT_TENANT


def claim_values(claims: Claims, path: str) -> list[str]:
    """The values of a claim as texts; none if it is missing."""
    found: object = claims.get(path)
    if found is None and "." in path:
        found = claims
        for step in path.split("."):
            found = found.get(step) if isinstance(found, Mapping) else None
    values = found if isinstance(found, list) else [found]
    return [str(value) for value in values if isinstance(value, str | int) and not isinstance(value, bool)]


def account_name(claims: Claims) -> str:
    """How an account is called in lists and messages."""
    named = (claims.get(name) for name in NAMES)
    name = next((value for value in named if isinstance(value, str) and value.strip()), "")
    return (
        "".join(character for character in name if character.isprintable())[:MOST_NAME_CHARACTERS]
        or "This account"
    )
