"""The roles that a line can have on a page."""

ROLES = (
    "text",
    "heading",
    "list_item",
    "table",
    "caption",
    "footnote",
    "header",
    "footer",
    "page_number",
    "formula",
    "contents",
    "figure",
    "code",
)
# Headings have so many levels.
LEVELS = 6
