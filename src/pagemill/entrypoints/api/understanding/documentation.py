"""What the routes of classes, rules and questions say of their bodies."""

from pagemill.errors import (
    ContentTooLarge,
    InvalidEncoding,
    InvalidJson,
    UnsupportedMediaType,
    ValidationFailed,
)

BODY_ERRORS = (InvalidEncoding, InvalidJson, UnsupportedMediaType, ContentTooLarge, ValidationFailed)
