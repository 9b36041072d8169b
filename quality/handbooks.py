"""Made-up handbooks in six languages, with questions whose answers are known: the question set of retrieval.

Each section is about one thing in one place, with a heading and facts by chance; the same things and places come back in other
sections, so that a question has near misses around it.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate

PLACES = "Aldham Borrow Calder Denby Elford Farleigh Garth Hexton Kelling Marlow Norden Selby".split()
HEADING = ParagraphStyle("heading", fontName="Helvetica-Bold", fontSize=14, leading=18, spaceBefore=14)
BODY = ParagraphStyle("body", fontName="Helvetica", fontSize=10, leading=13, spaceAfter=6)


@dataclass(frozen=True)
class Tongue:
    """The things, sentences and questions of a language; `{0}` is a thing, `{1}` a place, `{2}` and `{3}` figures."""

    code: str
    things: tuple[str, ...]
    heading: str
    facts: str
    filler: tuple[str, ...]
    capacity: str
    price: str


TONGUES = (
    Tongue(
        "en",
        ("ferry", "bridge", "library", "harbour", "museum", "station"),
        "Care of the {0} in {1}",
        "The {0} of {1} takes {2} visitors a day. Its yearly repair costs {3} euros.",
        (
            "Reports are written every month.",
            "The council decides in spring.",
            "Keys are kept at the office.",
        ),
        "How many visitors does the {0} of {1} take?",
        "yearly repair of the {0} {1} costs",
    ),
    Tongue(
        "de",
        ("Fähre", "Brücke", "Bücherei", "Mühle", "Schule", "Straße"),
        "Pflege der {0} in {1}",
        "Die {0} von {1} fasst {2} Besucher am Tag. Ihre jährliche Überholung kostet {3} Euro.",
        (
            "Berichte werden monatlich verfasst.",
            "Der Rat entscheidet im Frühling.",
            "Schlüssel hat das Büro.",
        ),
        "Wie viele Besucher fasst die {0} von {1}?",
        "jährliche Überholung der {0} {1} kostet",
    ),
    Tongue(
        "fr",
        ("gare", "bibliothèque", "forêt", "école", "église", "passerelle"),
        "Entretien de la {0} à {1}",
        "La {0} de {1} accueille {2} visiteurs par jour. Sa réparation annuelle coûte {3} euros.",
        ("Les rapports sont mensuels.", "Le conseil décide au printemps.", "Les clés restent au bureau."),
        "Combien de visiteurs accueille la {0} de {1} ?",
        "réparation annuelle de la {0} {1} coûte",
    ),
    Tongue(
        "es",
        ("estación", "biblioteca", "escuela", "fábrica", "montaña", "piscina"),
        "Cuidado de la {0} en {1}",
        "La {0} de {1} recibe {2} visitantes al día. Su reparación anual cuesta {3} euros.",
        ("Los informes son mensuales.", "El consejo decide en primavera.", "Las llaves están en la oficina."),
        "¿Cuántos visitantes recibe la {0} de {1}?",
        "reparación anual de la {0} {1} cuesta",
    ),
    Tongue(
        "it",
        ("stazione", "biblioteca", "scuola", "fabbrica", "piscina", "chiesa"),
        "Cura della {0} a {1}",
        "La {0} di {1} accoglie {2} visitatori al giorno. La sua riparazione annuale costa {3} euro.",
        ("I rapporti sono mensili.", "Il consiglio decide in primavera.", "Le chiavi sono in ufficio."),
        "Quanti visitatori accoglie la {0} di {1}?",
        "riparazione annuale della {0} {1} costa",
    ),
    Tongue(
        "sv",
        ("färja", "brygga", "skola", "kyrka", "hamn", "simhall"),
        "Skötsel av {0} i {1}",
        "En {0} i {1} tar {2} besökare om dagen. Årlig översyn kostar {3} euro.",
        ("Rapporter skrivs varje månad.", "Rådet beslutar på våren.", "Nycklar finns på kontoret."),
        "Hur många besökare tar {0} i {1}?",
        "årlig översyn {0} {1} kostar",
    ),
)


@dataclass(frozen=True)
class Question:
    """What is asked, and what the passage that answers it has in it."""

    kind: str
    language: str
    text: str
    answer: str


@dataclass(frozen=True)
class Section:
    """A heading with its text, and the questions that it answers."""

    heading: str
    text: str
    questions: tuple[Question, ...]


def sections(tongue: Tongue, count: int) -> Iterator[Section]:
    """So many sections of a handbook; the same for the same language."""
    draw = random.Random(f"handbook {tongue.code}")
    spots = [(thing, place) for thing in tongue.things for place in PLACES]
    for number, (thing, place) in enumerate(draw.sample(spots, count)):
        visitors, euros = str(1_000 + 37 * number + draw.randrange(30)), str(40_000 + draw.randrange(50_000))
        heading = tongue.heading.format(thing, place)
        facts = tongue.facts.format(thing, place, visitors, euros)
        filler = " ".join(draw.choice(tongue.filler) for _ in range(draw.randint(6, 30)))
        asked = (
            Question("heading", tongue.code, heading, facts),
            Question("fact", tongue.code, tongue.capacity.format(thing, place), facts),
            Question("fact", tongue.code, tongue.price.format(thing, place), facts),
        )
        yield Section(heading, f"{facts} {filler}", asked)


def write_handbook(path: Path, parts: list[Section]) -> None:
    """Draw a handbook as a PDF."""
    story: list[Flowable] = [
        Paragraph(text, style)
        for part in parts
        for text, style in ((part.heading, HEADING), (part.text, BODY))
    ]
    SimpleDocTemplate(str(path), pagesize=A4, invariant=1).build(story)
