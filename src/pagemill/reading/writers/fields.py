"""Form fields beside the text of a page."""

from collections.abc import Sequence

from pagemill.model.pages import FormField, Page


def unprinted_fields(page: Page) -> Sequence[FormField]:
    """The filled-in fields whose values are not in the text anyway, and all that can be ticked."""
    if not page.fields:
        return ()
    words = " ".join(block.text for block in page.blocks)
    return [
        field
        for field in page.fields
        if field.checked is not None or (field.value and field.value not in words)
    ]
