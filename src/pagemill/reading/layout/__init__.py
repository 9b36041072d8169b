"""Layout: the words of a sheet put into columns, paragraphs, headings, lists and tables."""

from pagemill.reading.layout.page import laid_out

__all__ = ["laid_out"]
