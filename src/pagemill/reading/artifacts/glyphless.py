"""A font for text that is found and copied but not seen.

Every character is a box of the same size. Which characters there are is only known at the end, so the objects of the font
get their numbers at the beginning and are written at the end.
"""

import struct

from pagemill.reading.artifacts.pdf_writer import PdfObjects, packed_stream

UNITS = 1_000
ADVANCE = 500
ASCENT, DESCENT = 800, -200
NAME = "PagemillUnseen"
# A mapping may have at most so many entries in one go.
MAPPINGS_AT_ONCE = 100
MOST_CHARACTERS = 65_000


class UnseenFont:
    """Gives each character a code, and is written once all of them are known."""

    def __init__(self, pdf: PdfObjects) -> None:
        self._pdf = pdf
        self.number = pdf.reserve()
        self._codes: dict[str, int] = {}

    def font_codes(self, text: str) -> str:
        """The text in the codes of the font, in hexadecimal; characters past the most that a font can have are left out."""
        codes = (self._code(character) for character in text)
        return "".join(f"{code:04X}" for code in codes if code)

    def _code(self, character: str) -> int:
        if character not in self._codes and len(self._codes) >= MOST_CHARACTERS:
            return 0
        return self._codes.setdefault(character, len(self._codes) + 1)

    def close(self) -> None:
        """Write the objects of the font."""
        add, program = self._pdf.add, font_program()
        file = add(packed_stream(program, b"/Length1 %d" % len(program)))
        glyphs = add(packed_stream(b"\0\1" * (len(self._codes) + 1)))
        unicode = add(packed_stream(to_unicode(self._codes)))
        descriptor = add(
            b"<</Type /FontDescriptor /FontName /%s /Flags 4 /FontBBox [0 %d %d %d] /ItalicAngle 0 /Ascent %d /Descent %d "
            b"/CapHeight %d /StemV 80 /FontFile2 %d 0 R>>"
            % (NAME.encode(), DESCENT, ADVANCE, ASCENT, ASCENT, DESCENT, ASCENT, file)
        )
        descendant = add(
            b"<</Type /Font /Subtype /CIDFontType2 /BaseFont /%s /CIDSystemInfo <</Registry (Adobe) /Ordering (Identity) "
            b"/Supplement 0>> /FontDescriptor %d 0 R /DW %d /CIDToGIDMap %d 0 R>>"
            % (NAME.encode(), descriptor, ADVANCE, glyphs)
        )
        add(
            b"<</Type /Font /Subtype /Type0 /BaseFont /%s /Encoding /Identity-H /DescendantFonts [%d 0 R] /ToUnicode %d 0 R>>"
            % (NAME.encode(), descendant, unicode),
            self.number,
        )


def to_unicode(codes: dict[str, int]) -> bytes:
    """The mapping from codes to characters."""
    rows = [f"<{code:04X}> <{character.encode('utf-16-be').hex()}>" for character, code in codes.items()]
    parts = [rows[at : at + MAPPINGS_AT_ONCE] for at in range(0, len(rows), MAPPINGS_AT_ONCE)]
    mappings = "".join(f"{len(part)} beginbfchar\n{chr(10).join(part)}\nendbfchar\n" for part in parts)
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
        "/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def\n"
        "/CMapName /Adobe-Identity-UCS def /CMapType 2 def\n"
        f"1 begincodespacerange <0000> <FFFF> endcodespacerange\n{mappings}"
        "endcmap CMapName currentdict /CMap defineresource pop end end"
    ).encode("ascii")


def font_program() -> bytes:
    """A TrueType font of two glyphs: the one for what is missing, and the one for every character."""
    glyph = box_glyph()
    tables = {
        b"OS/2": struct.pack(
            ">HhHHHhhhhhhhhhhh10sIIII4sHHHhhhHHII",
            *(3, ADVANCE, 400, 5, *[0] * 12, b"\0" * 10, 1, 0, 0, 0, b"NONE", 0x40, 0, 0xFFFF),
            *(ASCENT, DESCENT, 0, ASCENT, -DESCENT, 1, 0),
        )[:86]
        + struct.pack(">hhHHH", 0, 0, 0, 0, 0),
        b"cmap": struct.pack(
            ">HHHHIHHHHHHHHHHhH", 0, 1, 3, 1, 12, 4, 24, 0, 2, 2, 0, 0, 0xFFFF, 0, 0xFFFF, 1, 0
        ),
        b"glyf": glyph,
        b"head": struct.pack(
            ">IIIIHHQQhhhhHHhhh",
            *(0x10000, 0x10000, 0, 0x5F0F3CF5, 0, UNITS, 0, 0, 0, DESCENT, ADVANCE, ASCENT, 0, 8, 2, 0, 0),
        ),
        b"hhea": struct.pack(">IhhhHhhhhhhhhhhhH", 0x10000, ASCENT, DESCENT, 0, ADVANCE, *[0] * 11, 1),
        b"hmtx": struct.pack(">Hhh", ADVANCE, 0, 0),
        b"loca": struct.pack(">HHH", 0, 0, len(glyph) // 2),
        b"maxp": struct.pack(">IH13H", 0x10000, 2, 4, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0),
        b"name": struct.pack(">HHH", 0, 0, 6),
        b"post": struct.pack(">IIhhIIIII", 0x30000, 0, 0, 0, 1, 0, 0, 0, 0),
    }
    return pack_tables(tables)


def box_glyph() -> bytes:
    """A glyph that fills its place: readers take the size of a character from it, and it is invisible."""
    height = ASCENT - DESCENT
    head = struct.pack(">hhhhh", 1, 0, DESCENT, ADVANCE, ASCENT)
    # One outline that ends with point 3, no instructions, all points on the line.
    points = struct.pack(">HH4B", 3, 0, 1, 1, 1, 1)
    return head + points + struct.pack(">8h", 0, 0, ADVANCE, 0, DESCENT, height, 0, -height)


def pack_tables(tables: dict[bytes, bytes]) -> bytes:
    """Tables of a TrueType font as a file."""
    directory, body, at = b"", b"", 12 + 16 * len(tables)
    for tag, table in tables.items():
        padded = table + b"\0" * (-len(table) % 4)
        directory += struct.pack(">4sIII", tag, checksum(padded), at + len(body), len(table))
        body += padded
    return struct.pack(">IHHHH", 0x10000, len(tables), 128, 3, 16 * len(tables) - 128) + directory + body


def checksum(padded: bytes) -> int:
    """The sum of a table's words."""
    words: tuple[int, ...] = struct.unpack(f">{len(padded) // 4}I", padded)
    return sum(words) & 0xFFFFFFFF
