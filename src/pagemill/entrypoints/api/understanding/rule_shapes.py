"""The shapes of routing rules, as they are asked for and answered."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from pagemill.desk.rules import WantedRule
from pagemill.entrypoints.api.example_values import EXAMPLE_TIME
from pagemill.entrypoints.api.examples import EXAMPLE_ID
from pagemill.entrypoints.wire.problems import invalid
from pagemill.model.entities import EntityType
from pagemill.model.labelled_classes import CLASS_NAME, CLASS_NAME_RULE
from pagemill.model.labels import COLLECTION, MAX_LABEL_CHARACTERS, collection_entry, tags_entry
from pagemill.model.options import language_codes
from pagemill.model.routing_rules import is_like
from pagemill.reading.enricher import enricher_names

Pattern = Annotated[str, Field(min_length=1, max_length=255)]
RULE_EXAMPLE: dict[str, Any] = {
    "name": "Large invoices",
    "when": {"class": ["invoice"], "entities": [{"type": "total", "at_least": 1000}]},
    "then": {"tags": ["to-approve"], "collection": "invoices"},
}

SHOWN_EXAMPLE: dict[str, Any] = RULE_EXAMPLE | {
    "id": EXAMPLE_ID,
    "position": 1,
    "enabled": True,
    "stop": False,
    "created_at": EXAMPLE_TIME,
    "updated_at": EXAMPLE_TIME,
}


MADE_EXAMPLE = SHOWN_EXAMPLE | {"warnings": []}
# The values of other types are no numbers, so bounds never hold.
NUMBERS = (EntityType.AMOUNT, EntityType.PERCENTAGE)
# That something is asked: what is empty or null asks nothing.
SOME_WISH: list[Any] = [
    {"required": [name], "properties": {name: least}}
    for least, names in (
        ({"minItems": 1}, ("class", "tags", "entities")),
        ({"minProperties": 1}, ("metadata",)),
        ({"type": "string"}, ("filename", "media_type", "collection")),
    )
    for name in names
]
ClassName = Annotated[str, Field(json_schema_extra={"pattern": f"^{CLASS_NAME.pattern}$"})]


class EntityWish(BaseModel):
    """That the document has an entity of a type."""

    model_config = ConfigDict(extra="forbid")

    type: str = Field(
        min_length=1,
        max_length=40,
        description=f"A type of entity ({', '.join(EntityType)}, and those that a model finds), or its label, such as total.",
    )
    value: Pattern | None = Field(None, description="A pattern of its value, with `*` and `?`.")
    at_least: float | None = Field(None, description="The least value, for numbers.")
    at_most: float | None = Field(None, description="The greatest value, for numbers.")


class RuleWhen(BaseModel):
    """What a rule asks; all of it must hold, and what is left out asks nothing."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True, json_schema_extra={"anyOf": SOME_WISH})

    classes: list[ClassName] = Field([], alias="class", max_length=32, description="One of these classes.")
    tags: list[str] = Field([], max_length=32, description="One of these tags.")
    filename: Pattern | None = Field(None, description="A pattern of the filename, such as `*.eml`.")
    media_type: Pattern | None = Field(None, description="A pattern of the media type, such as `image/*`.")
    collection: Pattern | None = Field(None, description="The collection.")
    metadata: dict[str, Pattern] = Field(
        default_factory=dict, max_length=16, description="Patterns of entries of the metadata."
    )
    entities: list[EntityWish] = Field(
        [], max_length=16, description="The document has an entity for each of these."
    )


class RuleOptions(BaseModel):
    """Options that a rule sets, as a submission has them; enrichers are added to those of the submission."""

    model_config = ConfigDict(extra="forbid")

    ocr: Literal["auto", "force", "off"] | None = None
    mode: Literal["fast", "accurate"] | None = None
    languages: list[str] | None = Field(None, max_length=8)
    render: bool | None = None
    enrich: list[str] | None = Field(None, max_length=16)
    keep_running_headers: bool | None = None
    typography: Literal["printed", "ascii"] | None = None
    tracked_changes: Literal["final", "original", "both"] | None = None
    split: Literal["off", "suggest", "auto"] | None = None


class RuleThen(BaseModel):
    """What a rule does."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"minProperties": 1})

    options: RuleOptions = Field(
        default_factory=RuleOptions,
        description="How the document is read. A rule that is decided by the result has it read again, or enriched once more.",
    )
    lane: Literal["fast", "bulk"] | None = Field(None, description="The queue that it waits in.")
    priority: int | None = Field(None, ge=-10, le=10, description="Higher is read earlier.")
    webhook_url: str | None = Field(None, max_length=2_000, description="Notified of the end of the job.")
    push_to: str | None = Field(
        None, max_length=2_000, description="A folder or bucket that the result is pushed to."
    )
    tags: list[str] = Field([], max_length=32, description="Tags that are added.")
    collection: str | None = Field(
        None, max_length=MAX_LABEL_CHARACTERS, description="The collection, unless it has one."
    )


class RuleRequest(BaseModel):
    """A routing rule."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [RULE_EXAMPLE]})

    name: str = Field(
        min_length=1, max_length=100, description="What the rule is called in lists and timelines."
    )
    when: RuleWhen = Field(description="What it asks of a document.")
    then: RuleThen = Field(description="What it does with one.")
    position: int | None = Field(
        None, ge=0, le=1_000_000, description="Rules are tried in this order; last if left out."
    )
    enabled: bool = Field(True, description="Whether it is tried at all.")
    stop: bool = Field(False, description="No later rule is tried on a document that it matches.")


class RuleShown(RuleRequest):
    """A routing rule as it is kept."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [SHOWN_EXAMPLE]})

    id: str
    position: int
    created_at: str
    updated_at: str


class RuleMade(RuleShown):
    """A routing rule that was made or changed just now."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [MADE_EXAMPLE]})

    warnings: list[str] = Field(
        description="Why it may never match: classes, tags, collections and entities that nothing has so far."
    )


class RuleList(BaseModel):
    """The rules of a tenant, in the order in which they are tried."""

    rules: list[RuleShown]


class TrialRequest(BaseModel):
    """Rules to try; those of the tenant if there are none."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"rules": [RULE_EXAMPLE]}]})

    rules: list[RuleRequest] = Field([], max_length=100)


def wanted_rule(request: RuleRequest, at: str = "") -> WantedRule:
    """A rule that can be kept; ValidationFailed points at what is wrong with it."""
    faults = [(f"{at}{place}", why) for place, why in rule_faults(request)]
    if faults:
        raise invalid(*faults)
    conditions = request.when.model_dump(by_alias=True, exclude_defaults=True)
    actions = request.then.model_dump(exclude_none=True, exclude_defaults=True)
    if request.then.options.languages:
        actions["options"]["languages"] = list(language_codes(",".join(request.then.options.languages)))
    return WantedRule(request.name, conditions, actions, request.position, request.enabled, request.stop)


def rule_faults(request: RuleRequest) -> list[tuple[str, str]]:
    """What of a rule makes no sense, with where it is."""
    when, then = request.when, request.then
    found = [
        (f"/when/class/{place}", CLASS_NAME_RULE)
        for place, name in enumerate(when.classes)
        if not CLASS_NAME.fullmatch(name)
    ]
    if not when.model_dump(exclude_defaults=True):
        found.append(("/when", "a rule asks for something, such as filename"))
    if not then.model_dump(exclude_none=True, exclude_defaults=True):
        found.append(("/then", "a rule does something, such as tags"))
    known = enricher_names()
    found += [
        (f"/then/options/enrich/{place}", f"{name[:40]!r} is not one of {', '.join(known)}")
        for place, name in enumerate(then.options.enrich or ())
        if name not in known
    ]
    set_options = then.options.model_dump(exclude_none=True)
    if then.lane and (when.classes or when.entities) and not set(set_options) - {"enrich"}:
        found.append(
            (
                "/then/lane",
                "a document whose class is known was read already; set options that have it read again",
            )
        )
    return found + label_faults(request) + contradictions(when)


def contradictions(when: RuleWhen) -> list[tuple[str, str]]:
    """Conditions that no document can meet."""
    found: list[tuple[str, str]] = []
    for place, one in enumerate(when.entities):
        if one.at_least is not None and one.at_most is not None and one.at_least > one.at_most:
            found.append((f"/when/entities/{place}/at_most", "it is below at_least, so nothing can match"))
        bounds = [name for name in ("at_least", "at_most") if getattr(one, name) is not None]
        if bounds and one.type in [*EntityType] and one.type not in NUMBERS:
            why = f"values of {one.type} are no numbers; use a pattern of value"
            found.append((f"/when/entities/{place}/{bounds[0]}", why))
    in_metadata = when.metadata.get(COLLECTION)
    if when.collection and in_metadata and not is_like(when.collection, in_metadata):
        found.append(("/when/metadata/collection", "the collection that is asked for is not like this"))
    return found


def label_faults(request: RuleRequest) -> list[tuple[str, str]]:
    """What is wrong with tags, collection and languages."""
    checks = (
        ("/when/tags", lambda: tags_entry(request.when.tags)),
        ("/then/tags", lambda: tags_entry(request.then.tags)),
        ("/then/collection", lambda: collection_entry(request.then.collection or "")),
        ("/then/options/languages", lambda: language_codes(",".join(request.then.options.languages or ()))),
    )
    found: list[tuple[str, str]] = []
    for place, check in checks:
        try:
            check()
        except ValueError as error:
            found.append((place, str(error)))
    return found
