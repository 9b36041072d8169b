"""view.html: a document as a browser shows it, in which nothing can run and from which nothing is fetched."""

import io
from pathlib import Path

import PIL.Image

from pagemill.model.artifacts import MakeRequest
from pagemill.model.visits import OpenRequest
from pagemill.reading.artifacts.view import harmless_page
from pagemill.reading.visits import make_artifact, open_document
from tests.office_files import R, docx, para, row, xlsx


def view_of(folder: Path, name: str, raw: bytes) -> str:
    """The view of a document."""
    source = folder / name
    source.write_bytes(raw)
    open_document(OpenRequest(str(source), str(folder), 10, ()).to_bytes())
    request = MakeRequest("view", str(folder / "document.json"), None, str(folder), str(source), None)
    make_artifact(request.to_bytes())
    return (folder / "view.html").read_text("utf-8")


def test_a_text_is_set_with_its_images(tmp_path: Path) -> None:
    out = io.BytesIO()
    PIL.Image.new("RGB", (8, 8), "red").save(out, "PNG")
    drawn = (
        '<w:p><w:r><w:drawing xmlns:wp="urn:wp" xmlns:a="urn:a"><wp:docPr id="1" name="p" descr="A wheel"/>'
        f'<a:blip {R} r:embed="i1"/></w:drawing></w:r></w:p>'
    )
    media = {"word/media/image1.png": out.getvalue()}
    view = view_of(
        tmp_path, "a.docx", docx(para("Mills", "H1") + drawn, media, ("i1", "image", "media/image1.png"))
    )
    assert '<section id="page-1" data-page="1">' in view
    assert ">Mills</h1>" in view
    assert 'src="data:image/png;base64,' in view
    assert "images/" not in view


def test_cells_of_a_sheet_are_under_their_letters_and_numbers(tmp_path: Path) -> None:
    book = xlsx(("Pond", row(3, C="Year", D="Ducks") + row(4, C=2023, D=12) + row(5, C=2024, D=15)))
    view = view_of(tmp_path, "a.xlsx", book)
    assert '<section id="page-1" class="sheet"' in view
    assert '<th class="cells"></th><th class="cells">C</th><th class="cells">D</th>' in view
    assert '<tr><th class="cells">5</th><td>2024</td><td>15</td></tr>' in view


def test_a_web_page_is_shown_without_what_could_act_or_be_fetched() -> None:
    page = harmless_page(
        '<html><head><base href="https://evil.example/"><style>p { color: red }</style>'
        '<meta http-equiv="refresh" content="0;url=https://evil.example/"></head>'
        '<body onload="alert(1)"><script>alert(2)</script><p style="color: blue">Words</p>'
        '<a href="javascript:alert(3)">x</a><a href="#below">y</a><img src="https://evil.example/a.png">'
        '<img src="data:image/png;base64,AAAA"><iframe src="https://evil.example/"></iframe>'
        '<form action="https://evil.example/"><input></form>'
        '<svg><script>alert(4)</script><image xlink:href="https://evil.example/b.png"/></svg></body></html>'
    )
    assert "evil.example" not in page
    assert "alert" not in page
    assert '<p style="color: blue">Words</p>' in page
    assert "p { color: red }" in page
    assert 'href="#below"' in page
    assert 'src="data:image/png;base64,AAAA"' in page
