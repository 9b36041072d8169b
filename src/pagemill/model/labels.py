"""Labels of a job: its metadata, of which the tags and the collection are two entries."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import orjson

from pagemill.errors import MetadataTooLarge

TAGS, COLLECTION = "tags", "collection"
MAX_METADATA_BYTES = 16_384
MAX_METADATA_ENTRIES = 64
MAX_TAGS = 32
MAX_LABEL_CHARACTERS = 100


@dataclass(frozen=True, slots=True)
class LabelChange:
    """What is changed of a job's metadata; an entry that is None is removed, and one that is not named stays."""

    entries: Mapping[str, str | None] = field(default_factory=dict)

    def apply(self, labels: Mapping[str, str]) -> dict[str, str]:
        """The labels after the change; MetadataTooLarge if they are too many or too long."""
        changed = {name: value for name, value in ({**labels, **self.entries}).items() if value is not None}
        check_size(changed)
        return changed


def check_size(labels: Mapping[str, str]) -> None:
    """MetadataTooLarge if there are too many labels, or too long ones."""
    if len(labels) > MAX_METADATA_ENTRIES or len(orjson.dumps(dict(labels))) > MAX_METADATA_BYTES:
        raise MetadataTooLarge()


def tags_entry(tags: Iterable[str]) -> str | None:
    """Tags as the entry of the metadata, each once; None if there are none. ValueError says what is no tag."""
    wanted = list(dict.fromkeys(tag.strip() for tag in tags if tag.strip()))
    if len(wanted) > MAX_TAGS or any("," in tag or len(tag) > MAX_LABEL_CHARACTERS for tag in wanted):
        raise ValueError(
            f"there are at most {MAX_TAGS} tags of {MAX_LABEL_CHARACTERS} characters, without commas"
        )
    return ", ".join(wanted) or None


def split_tags(entry: str) -> list[str]:
    """The tags in the entry of the metadata, each once."""
    return list(dict.fromkeys(tag.strip() for tag in entry.split(",") if tag.strip()))


def collection_entry(text: str) -> str | None:
    """A collection as the entry of the metadata; None if the text is empty. ValueError if it is too long."""
    if len(text.strip()) > MAX_LABEL_CHARACTERS:
        raise ValueError(f"a collection has at most {MAX_LABEL_CHARACTERS} characters")
    return text.strip() or None
