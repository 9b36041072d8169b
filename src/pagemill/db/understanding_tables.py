"""The tables of labelled examples and routing rules."""

from sqlalchemy import JSON, Boolean, Column, Float, Index, Integer, String, Table, Text

from pagemill.db.table_metadata import metadata

# Documents that a tenant has labelled with a class; no text of them is kept, only hashed features.
class_examples = Table(
    "class_examples",
    metadata,
    Column("job_id", String(36), primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("features", JSON, nullable=False),
    Column("created_at", Float, nullable=False),
)
Index("ix_class_examples_tenant", class_examples.c.tenant, class_examples.c.name)

routing_rules = Table(
    "routing_rules",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("enabled", Boolean, nullable=False),
    Column("stop", Boolean, nullable=False),
    Column("conditions", JSON, nullable=False),
    Column("actions", JSON, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("updated_at", Float, nullable=False),
)
Index("ix_routing_rules_tenant", routing_rules.c.tenant, routing_rules.c.position)
