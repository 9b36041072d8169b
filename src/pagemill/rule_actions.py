"""What routing rules do to a job, when it is accepted and when its result is there."""

from collections.abc import Mapping, Sequence

from pagemill.db import webhooks
from pagemill.db.database import Tx
from pagemill.mill import Mill
from pagemill.model.events import Facts
from pagemill.model.labels import COLLECTION, MAX_TAGS, TAGS, tags_entry
from pagemill.model.push_targets import PUSH_EVENTS
from pagemill.model.routing_rules import RoutingRule
from pagemill.model.webhook_signing import encode_secret
from pagemill.model.webhooks import DEFAULT_EVENTS, WantedEndpoint, new_endpoint


def tenant_secret(mill: Mill, tenant: str) -> str:
    """The secret that signs webhooks to addresses that came with jobs, unless a job brought its own."""
    return encode_secret(mill.passwords.derive_secret(b"webhooks of " + tenant.encode()))


def labels_by_rules(metadata: Mapping[str, str], rules: Sequence[RoutingRule]) -> dict[str, str]:
    """The metadata of a job with the tags and the collection of rules; a collection that it has stays."""
    tags = [tag.strip() for tag in metadata.get(TAGS, "").split(",") if tag.strip()]
    tags += [tag for rule in rules for tag in rule.then.tags]
    named = [rule.then.collection for rule in rules if rule.then.collection]
    wanted = {
        TAGS: tags_entry(list(dict.fromkeys(tags))[:MAX_TAGS]),
        COLLECTION: metadata.get(COLLECTION) or (named[0] if named else None),
    }
    return dict(metadata) | {name: value for name, value in wanted.items() if value}


def add_rule_receivers(tx: Tx, mill: Mill, tenant: str, job_id: str, rules: Sequence[RoutingRule]) -> None:
    """Have a job notify the addresses of rules, and push its result to their folders; each once."""
    known = {one.url for one in webhooks.of_job(tx.conn, tenant, job_id)}
    for rule in rules:
        wanted = ((rule.then.webhook_url, DEFAULT_EVENTS), (rule.then.push_to, PUSH_EVENTS))
        for url, events in wanted:
            if url and url not in known:
                known.add(url)
                encrypted = mill.passwords.encrypt(tenant_secret(mill, tenant)) or b""
                endpoint = WantedEndpoint(url, events)
                webhooks.add(tx, new_endpoint(tenant, endpoint, encrypted, tx.now, owner_id=job_id))


def routed_facts(rules: Sequence[RoutingRule], decided_by: str) -> Facts:
    """What the timeline says of rules that matched."""
    return {
        "rules": ", ".join(rule.name for rule in rules),
        "rule_ids": ",".join(rule.id for rule in rules),
        "decided_by": decided_by,
    }
