"""Words made of PDFium's letters, for pages where the engine's words can't be trusted."""

import pypdfium2

from pagemill.reading.clean import clean
from pagemill.reading.sheet import Token, glue_tokens


def printed_words(page: pypdfium2.PdfPage) -> list[Token]:
    """The words of a page one by one, by the letters that PDFium finds next to each other."""
    textpage = page.get_textpage()
    left, _, _, top = page.get_bbox()
    words: list[Token] = []
    ends = True
    for at, letter in enumerate(textpage.get_text_range()):
        if letter.isspace():
            ends = True
        elif clean(letter):
            x, bottom, right, upper = textpage.get_charbox(at)
            token = Token(letter, x - left, top - upper, right - left, top - bottom)
            if ends:
                words.append(token)
            else:
                words[-1] = glue_tokens(words[-1], token)
            ends = False
    textpage.close()
    return words
