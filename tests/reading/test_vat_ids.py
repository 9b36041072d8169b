"""VAT ids: found as countries print them, and called valid only if their check digits are right."""

import random

import pytest

from pagemill.reading.entities.finding import matches_in
from pagemill.reading.entities.vat_checks import CHECKS
from pagemill.reading.entities.vat_ids import COUNTRIES, FORMATS, is_valid

# Numbers whose check digits are right, of every country, and of every kind that checks itself differently.
RIGHT = (
    "ATU13585627",
    "BE0428759497",
    "BG175074752",
    "CHE116281710MWST",
    "CY10259033P",
    "CZ00177041",
    "CZ25123891",
    "CZ640903926",
    "CZ7103192745",
    "DE136695976",
    "DK12345674",
    "EE100931558",
    "EL094259216",
    "ESB58378431",
    "ES54362315K",
    "ESX2482300W",
    "FI20774740",
    "FR40303265045",
    "FRK7399859412",
    "GB220430231",
    "GB980780684",
    "HR33392005961",
    "HU12892312",
    "IE6433435F",
    "IE6433435OA",
    "IE8D79739I",
    "IT00743110157",
    "LT119511515",
    "LT100001919017",
    "LU15027442",
    "LV40003521600",
    "MT11679112",
    "NL004495445B01",
    "NO923609016MVA",
    "PL8567346215",
    "PT501964843",
    "RO18547290",
    "SE556703748501",
    "SI50223054",
    "SK2022749619",
    "XI110305878",
)


def found(text: str) -> list[tuple[str, bool | None]]:
    """The VAT ids of a text, and whether they are valid."""
    return [(one.value, one.valid) for one in matches_in(text) if one.type.value == "vat_id"]


def split(number: str) -> tuple[str, str]:
    """The country of a VAT id, and what follows it."""
    prefix = "CHE" if number.startswith("CHE") else number[:2]
    return COUNTRIES.get(prefix, prefix), number.removeprefix(prefix)


@pytest.mark.parametrize("number", RIGHT)
def test_a_right_number_is_found_and_valid(number: str) -> None:
    assert found(f"VAT {number}.") == [(number, True)]


def test_every_country_has_an_example() -> None:
    assert {split(number)[0] for number in RIGHT} == set(CHECKS)
    assert {COUNTRIES.get(prefix, prefix) for prefix in FORMATS} <= set(CHECKS)


@pytest.mark.parametrize("number", RIGHT)
def test_a_number_with_one_wrong_digit_is_not_valid(number: str) -> None:
    country, rest = split(number)
    digits = [place for place, character in enumerate(rest) if character.isdigit()]
    # The branch of a Dutch and a Swedish number is not a part of what is checked.
    checked = [place for place in digits if not (country in ("NL", "SE") and place >= len(rest) - 2)]
    changed = [f"{rest[:place]}{(int(rest[place]) + 1) % 10}{rest[place + 1 :]}" for place in checked]
    wrong = [one for one in changed if is_valid(country, one) is not True]
    # Where 10 and 0 are written alike, one other digit can be right too.
    assert len(wrong) >= len(changed) - 1


@pytest.mark.parametrize(
    ("text", "value", "valid"),
    [
        ("GB 220 4302 31", "GB220430231", True),
        ("GB 220 4302 31 001", "GB220430231001", True),
        ("GBHA500", "GBHA500", None),
        ("CHE-116.281.710 MWST", "CHE116281710MWST", True),
        ("CHE-116.281.710", "CHE116281710", None),
        ("NO 923 609 016 MVA", "NO923609016MVA", True),
        ("SE 556703-7485 01", "SE556703748501", True),
        ("SE556703748502", "SE556703748502", None),
        ("GR 094259216", "EL094259216", True),
        ("ES B-58378431", "ESB58378431", True),
        ("BE 0428.759.497", "BE0428759497", True),
        ("DK 12 34 56 74", "DK12345674", True),
        ("DE 136 695 976", "DE136695976", True),
        ("PL 856-734-62-15", "PL8567346215", True),
        ("BG7523169263", "BG7523169263", None),
        ("LV32015012345", "LV32015012345", None),
        ("FR41303265045", "FR41303265045", False),
        ("IT00000000000", "IT00000000000", False),
    ],
)
def test_numbers_are_found_as_they_are_printed(text: str, value: str, valid: bool | None) -> None:
    assert found(f"VAT no. {text}, paid") == [(value, valid)]


@pytest.mark.parametrize(
    "text",
    [
        "NO 923609016",
        "No 923 609 016",
        "RO 42",
        "Repair order # RO-20221108",
        "DE 12345",
        "order SE5567037485",
        "FI21 1234 5600 0007 85",
    ],
)
def test_other_numbers_are_no_vat_ids(text: str) -> None:
    assert found(text) == []


def test_numbers_by_chance_are_seldom_valid() -> None:
    chance = random.Random(3)
    for country in CHECKS:
        drawn = [random_number(country, chance) for _ in range(400)]
        assert sum(is_valid(country, number) is True for number in drawn) < 80, country


def random_number(country: str, chance: random.Random) -> str:
    """A right number of a country with other digits."""
    form = chance.choice([number for number in RIGHT if split(number)[0] == country])
    return "".join(
        str(chance.randrange(10)) if character.isdigit() else character for character in split(form)[1]
    )
