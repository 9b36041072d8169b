"""Entities: dates, amounts, numbers and names that are printed in a document, found by rules and checked where that can be."""

from pagemill.reading.entities.finding import find_entities

__all__ = ["find_entities"]
