"""Sample PDFs, made on the spot: the same call gives the same bytes, and nothing is kept on disk."""

import zlib
from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Literal

import pikepdf
import pypdfium2
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

A4 = (595.0, 842.0)
LEFT, TOP, LINE = 72, 770, 14

WORDS = (
    "river stone letter window garden paper winter signal harbour copper meadow lantern bridge candle forest "
    "mirror anchor valley thread summit orchard engine pebble ribbon saddle timber violet willow"
).split()


# By hand: quick, and every byte is known.


def raw_pdf(objects: Sequence[bytes], trailer: bytes = b"") -> bytes:
    """A PDF of the given objects, numbered from 1; the first is the catalog."""
    out = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<</Size %d/Root 1 0 R%s>>\n" % (len(objects) + 1, trailer)
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)


def stream(content: bytes, entries: bytes = b"") -> bytes:
    """A stream object."""
    return b"<</Length %d%s>>\nstream\n%s\nendstream" % (len(content), entries, content)


def lines_content(lines: Sequence[str], size: int = 11) -> bytes:
    """The content of a page that shows lines of text from the top down."""
    shown = b"".join(b"(%s) '\n" % _escaped(line) for line in lines)
    return b"BT /F1 %d Tf %d TL %d %d Td\n%sET" % (size, LINE, LEFT, TOP, shown)


def text_pages(
    pages: Sequence[Sequence[str]], *, catalog: bytes = b"", page: bytes = b"", box: bytes = b"0 0 595 842"
) -> bytes:
    """A PDF with lines of text on each page; `catalog` and `page` are more entries for their dictionaries."""
    kids = b" ".join(b"%d 0 R" % (4 + 2 * at) for at in range(len(pages)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R%s>>" % catalog,
        b"<</Type/Pages/Count %d/Kids[%s]/MediaBox[%s]/Resources<</Font<</F1 3 0 R>>>>>>"
        % (len(pages), kids, box),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ]
    for at, lines in enumerate(pages):
        objects.append(b"<</Type/Page/Parent 2 0 R/Contents %d 0 R%s>>" % (5 + 2 * at, page))
        objects.append(stream(lines_content(lines)))
    return raw_pdf(objects)


def big(pages: int, seed: int = 0, lines: int = 3) -> bytes:
    """A document of many short pages; another seed gives another document."""
    return text_pages([_prose(seed * 1_000_003 + number, lines, number) for number in range(1, pages + 1)])


def blank(pages: int = 1) -> bytes:
    """Pages with nothing on them."""
    return text_pages([[]] * pages)


def trial_pages(markers: Sequence[str]) -> bytes:
    """One page per marker, such as `TRIAL:segfault`; an empty marker is an ordinary page."""
    return text_pages([[f"Page {number} of a trial.", marker] for number, marker in enumerate(markers, 1)])


def no_pages() -> bytes:
    """A document without a page."""
    return raw_pdf([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 0/Kids[]>>"])


def kids_cycle() -> bytes:
    """A page tree that is its own child."""
    return raw_pdf([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 1/Kids[2 0 R]/Parent 2 0 R>>"])


def broken_page_tree() -> bytes:
    """Two pages, of which the tree has only the first as a page and the second as nothing."""
    whole = text_pages([["The first page is whole."], ["The second page is lost."]])
    return whole.replace(b"6 0 obj\n<</Type/Page/Parent", b"6 0 obj\n<</Type/None/Parent")


def truncated() -> bytes:
    """A document without its last bytes, as after a broken download."""
    whole = text_pages([["Cut off, but it can be mended."]])
    return whole[: whole.rindex(b"startxref")]


def corrupt() -> bytes:
    """Something that begins like a PDF and is none."""
    return b"%PDF-1.7\nnothing of what was promised\n"


def flate_bomb(megabytes: int = 300) -> bytes:
    """A page of a kilobyte that becomes hundreds of megabytes when it is inflated twice."""
    squeezer = zlib.compressobj(9)
    squeezed = b"".join(squeezer.compress(b" " * (1 << 20)) for _ in range(megabytes)) + squeezer.flush()
    content = zlib.compress(squeezed, 9)
    pages = text_pages([["Small outside."]])
    old = stream(lines_content(["Small outside."]))
    return _rebuilt(pages, old, stream(content, b"/Filter[/FlateDecode/FlateDecode]"))


def garbage_text() -> bytes:
    """A page whose letters are said to be control characters."""
    mapping = (
        b"/CIDInit/ProcSet findresource begin begincmap 1 begincodespacerange <00><ff> endcodespacerange "
    )
    mapping += b"95 beginbfchar %s endbfchar endcmap" % b"".join(
        b"<%02x><0080>" % code for code in range(32, 127)
    )
    pages = text_pages([["These letters can be seen but not read.", "Each of them maps to a control."]])
    old = b"/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
    return _rebuilt(pages, old, b"/BaseFont/Helvetica/ToUnicode 6 0 R>>", more=[stream(mapping)])


def active_content() -> bytes:
    """A document with a script that runs when it is opened."""
    return text_pages([["Looks harmless."]], catalog=b"/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>")


def harmless_open_action() -> bytes:
    """A document that opens at a certain page, which runs nothing."""
    return text_pages([["Opens here."]], catalog=b"/OpenAction[4 0 R/Fit]")


def odd_page(box: str = "0 0 0 0", user_unit: float | None = None) -> bytes:
    """A page whose MediaBox is not that of a page."""
    page = b"/UserUnit %g" % user_unit if user_unit else b""
    return text_pages([["An odd page."]], box=box.encode(), page=page)


# With libraries: what is tedious by hand.


def letter(greeting: str = "Dear reader,") -> bytes:
    """One page of plain text with a heading."""
    body = ["this letter has one page.", "It says little, and says it clearly.", "Yours, the mill"]
    return _drawn(lambda canvas: _letter(canvas, greeting, body))


def report(pages: int, seed: int = 0) -> bytes:
    """Pages with a running header, page numbers, headings, paragraphs that cross pages, lists and a table."""

    def draw(canvas: Canvas) -> None:
        for number in range(1, pages + 1):
            _report_page(canvas, number, pages, seed)

    return _drawn(draw)


def long_table(pages: int = 3, *, repeat_header: bool = True) -> bytes:
    """A ruled table that goes on over pages."""

    def draw(canvas: Canvas) -> None:
        for page in range(pages):
            head = [["Number", "Name", "Amount"]] if repeat_header or page == 0 else []
            rows = [[str(page * 30 + at), f"{WORDS[at % 28]} {page}", f"{at}.50"] for at in range(1, 31)]
            _table(canvas, TOP, head + rows)
            canvas.showPage()

    return _drawn(draw)


def form() -> bytes:
    """A form with a text, two checkboxes and a choice."""

    def draw(canvas: Canvas) -> None:
        canvas.drawString(LEFT, TOP, "Please fill in this form.")
        fields = canvas.acroForm
        fields.textfield(name="surname", value="Ångström", x=200, y=700, width=200, height=20)
        fields.textfield(name="empty", x=200, y=660, width=200, height=20)
        fields.checkbox(name="agree", checked=True, x=200, y=620)
        fields.checkbox(name="newsletter", checked=False, x=200, y=580, tooltip="Send me the newsletter")
        fields.choice(
            name="country", value="Chile", options=["Peru", "Chile"], x=200, y=540, width=200, height=20
        )
        canvas.showPage()

    return _drawn(draw)


def unicode_text() -> bytes:
    """Letters beyond ASCII, and Chinese."""

    def draw(canvas: Canvas) -> None:
        pdfmetrics.registerFont(TTFont("Vera", "Vera.ttf"))
        pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
        canvas.setFont("Vera", 12)
        canvas.drawString(LEFT, TOP, "Zürich, façade, naïve, Ærø, 5 €, “quoted”.")
        canvas.setFont("STSong-Light", 12)
        canvas.drawString(LEFT, TOP - 60, "汉字也可以读。")
        canvas.showPage()

    return _drawn(draw)


def turned_text() -> bytes:
    """A page with a line up its side."""

    def draw(canvas: Canvas) -> None:
        _lines(canvas, TOP, _prose(1, 12))
        canvas.translate(30, 300)
        canvas.rotate(90)
        canvas.drawString(0, 0, "Seen from the side of the page.")
        canvas.showPage()

    return _drawn(draw)


def encrypted(user: str = "open", owner: str = "own", bits: int = 256) -> bytes:
    """A letter with passwords; `bits` is 40 (RC4), 128 (AES) or 256 (AES, revision 6). No user password: anybody may open."""
    if bits == 40:
        return _drawn(_secret, encrypt=StandardEncryption(user, owner, strength=40))
    revision: Literal[4, 6] = 6 if bits == 256 else 4
    out = BytesIO()
    with pikepdf.open(BytesIO(_drawn(_secret))) as pdf:
        pdf.save(out, encryption=pikepdf.Encryption(user=user, owner=owner, R=revision))
    return out.getvalue()


def photographed(pdf: bytes, pages: Sequence[int] = (), dpi: int = 100) -> bytes:
    """The document with these pages (all if none are named) as pictures of themselves, without a text layer."""
    with pypdfium2.PdfDocument(pdf) as document, pikepdf.open(BytesIO(pdf)) as whole:
        for number in pages or range(1, len(document) + 1):
            image = document[number - 1].render(scale=dpi / 72).to_pil().convert("RGB")
            picture = BytesIO()
            image.save(picture, "PDF", resolution=dpi)
            with pikepdf.open(picture) as drawn:
                whole.pages[number - 1] = drawn.pages[0]
        made = BytesIO()
        whole.save(made, deterministic_id=True)
    return made.getvalue()


def unknown_version() -> bytes:
    """A document that the standard handler has locked in a way that is not published."""
    return unknown_encryption(b"/Standard/V 99")


def unknown_encryption(way: bytes = b"/Acme.Vault/V 1") -> bytes:
    """A document that another security handler than the standard one has locked."""
    encrypt = b"<</Filter%s/R 2/Length 40/O(x)/U(x)/P -4>>" % way
    whole = text_pages([["Locked by a vault."]])
    return whole.replace(b"/Root 1 0 R", b"/Root 1 0 R/ID[<00><00>]/Encrypt " + encrypt)


def embedded_file() -> bytes:
    """A letter with a file attached."""
    out = BytesIO()
    with pikepdf.open(BytesIO(letter())) as pdf:
        pdf.attachments["note.txt"] = b"attached"
        pdf.save(out, deterministic_id=True)
    return out.getvalue()


def compressed(pdf: bytes) -> bytes:
    """The same document with its objects packed into object streams."""
    out = BytesIO()
    with pikepdf.open(BytesIO(pdf)) as document:
        mode = pikepdf.ObjectStreamMode.generate
        document.save(out, object_stream_mode=mode, compress_streams=True, deterministic_id=True)
    return out.getvalue()


def xfa_form() -> bytes:
    """A page that asks for a viewer of XFA forms."""
    packet = b"<xdp:xdp xmlns:xdp='http://ns.adobe.com/xdp/'></xdp:xdp>"
    pages = text_pages([["Please wait..."]], catalog=b"/AcroForm<</Fields[]/XFA 6 0 R>>/NeedsRendering true")
    return _rebuilt(pages, b"", b"", more=[stream(packet)])


def _drawn(draw: Callable[[Canvas], None], encrypt: StandardEncryption | None = None) -> bytes:
    out = BytesIO()
    canvas = Canvas(out, pagesize=A4, invariant=1, encrypt=encrypt)
    draw(canvas)
    canvas.save()
    return out.getvalue()


def _letter(canvas: Canvas, greeting: str, body: Sequence[str]) -> None:
    canvas.setFont("Helvetica-Bold", 18)
    canvas.drawString(LEFT, TOP, "A letter")
    _lines(canvas, TOP - 40, [greeting, *body])
    canvas.showPage()


def _secret(canvas: Canvas) -> None:
    _lines(canvas, TOP, ["The secret is that there is none."])
    canvas.showPage()


def _lines(
    canvas: Canvas, top: float, lines: Sequence[str], font: str = "Helvetica", size: int = 11
) -> float:
    canvas.setFont(font, size)
    for line in lines:
        canvas.drawString(LEFT, top, line)
        top -= LINE
    return top


def _report_page(canvas: Canvas, number: int, pages: int, seed: int) -> None:
    _lines(canvas, 815, ["Annual report of the mill"], size=9)
    canvas.setFont("Helvetica", 9)
    canvas.drawString(280, 25, f"Page {number} of {pages}")
    top: float = TOP
    if number > 1:
        top = (
            _lines(
                canvas, top, [f"and so sentence {number - 1} comes to its end on the page that follows it."]
            )
            - 20
        )
    if number % 4 == 1:
        top = _lines(canvas, top, [f"Chapter {number // 4 + 1}"], "Helvetica-Bold", 20) - 20
    top = (
        _lines(
            canvas,
            top,
            [f"Section {number} on {_prose(seed + number, 1)[0].split()[0]}"],
            "Helvetica-Bold",
            14,
        )
        - 10
    )
    top = _lines(canvas, top, _prose(seed * 1_009 + number, 12)) - 20
    top = _lines(canvas, top, [f"- first point of page {number}", "- second point", "- third point"]) - 20
    if number % 3 == 0:
        top = _table(canvas, top, [["Year", "Sacks"], ["1901", str(number)], ["1902", str(number * 7)]]) - 20
    last = _prose(seed * 7 + number + 500, 6)
    _lines(canvas, top, [*last, f"This sentence {number} is longer than the page has room for, it goes on"])
    canvas.showPage()


def _table(
    canvas: Canvas, top: float, rows: Sequence[Sequence[str]], width: int = 140, height: int = 20
) -> float:
    canvas.setFont("Helvetica", 10)
    for row in rows:
        for column, text in enumerate(row):
            canvas.rect(LEFT + column * width, top - height, width, height)
            canvas.drawString(LEFT + column * width + 5, top - height + 6, text)
        top -= height
    return top


def _prose(seed: int, lines: int, number: int | None = None) -> list[str]:
    """Sentences that differ from seed to seed."""
    first = [f"Page {number} of document {seed}."] if number else []
    texts = []
    for at in range(lines):
        picks = [WORDS[(seed * 31 + at * 17 + place * (7 + seed % 5)) % len(WORDS)] for place in range(11)]
        texts.append(" ".join(picks).capitalize() + ".")
    return first + texts


def _escaped(text: str) -> bytes:
    raw = text.encode("cp1252", "replace")
    return raw.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


def _rebuilt(pdf: bytes, old: bytes, new: bytes, more: Sequence[bytes] = ()) -> bytes:
    """A PDF of ours with some bytes replaced, objects added, and its table put right."""
    body = (
        pdf[pdf.index(b"1 0 obj") : pdf.rindex(b"xref\n0")].replace(old, new)
        if old
        else pdf[: pdf.rindex(b"xref\n0")]
    )
    parts = body[body.index(b"1 0 obj") :].split(b"\nendobj\n")[:-1]
    return raw_pdf([*(part.partition(b" 0 obj\n")[2] for part in parts), *more])
