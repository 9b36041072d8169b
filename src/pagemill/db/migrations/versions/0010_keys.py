"""Keys with scopes, expiry and last use; sessions that were ended; the audit log; what quotas of tenants are counted by.

Revision ID: 0010
Revises: 0009
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

SCOPES = sa.text("""'["read", "write"]'""")


def upgrade() -> None:
    """Add columns and tables; keys that are there may read and write, as before."""
    op.add_column("api_keys", sa.Column("scopes", sa.JSON(), nullable=False, server_default=SCOPES))
    op.add_column("api_keys", sa.Column("expires_at", sa.Float(), nullable=True))
    op.add_column("api_keys", sa.Column("last_used_at", sa.Float(), nullable=True))
    op.add_column("api_keys", sa.Column("hint", sa.Text(), nullable=False, server_default=sa.text("''")))
    op.create_table(
        "ended_sessions",
        sa.Column("id", sa.String(length=64), primary_key=True),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.Float(), nullable=False),
    )
    op.create_index("ix_ended_sessions_expires_at", "ended_sessions", ["expires_at"])
    op.create_table(
        "audit_log",
        sa.Column(
            "id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True, autoincrement=True
        ),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
    )
    op.create_index("ix_audit_log_tenant", "audit_log", ["tenant", "id"])
    op.create_index("ix_audit_log_at", "audit_log", ["at"])
    op.create_index("ix_documents_tenant", "documents", ["tenant", "created_at"], if_not_exists=True)


def downgrade() -> None:
    """Take them out again."""
    op.drop_index("ix_documents_tenant", "documents")
    for table in ("audit_log", "ended_sessions"):
        op.drop_table(table)
    with op.batch_alter_table("api_keys") as keys:
        for column in ("hint", "last_used_at", "expires_at", "scopes"):
            keys.drop_column(column)
