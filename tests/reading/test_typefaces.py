"""What the name of a font and the weight of its stems say of its style."""

import pytest

from pagemill.reading.page.typefaces import typeface


@pytest.mark.parametrize(
    ("name", "weight", "bold"),
    [
        ("ABCDEF+AGaramondPro-Regular", 768, False),
        ("Gotham-Light", 645, False),
        ("TimesNewRomanPSMT", 650, False),
        ("TimesNewRomanPS-BoldMT", 400, True),
        ("NimbusRomNo9L-MediItal", 600, True),
        ("AdvOT3bf1a849.B", 400, True),
        ("F1", 700, True),
        ("CIDFont+F1", 2164, False),
    ],
)
def test_a_thick_stem_makes_no_regular_font_bold(name: str, weight: int, bold: bool) -> None:
    assert typeface(name).is_bold(weight) is bold


def test_publishers_fonts_say_their_style_in_a_letter() -> None:
    assert typeface("AdvOT0c7211e1.I").italic
    assert typeface("AdvOT0c7211e1.BI").italic
    assert not typeface("AdvOT0c7211e1").italic
