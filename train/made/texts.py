"""Texts of made pages, the same for the same seed."""

import random
from typing import TypeVar

from train.made.languages import LANGUAGES, WEIGHTS, Language

ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv")
GIVEN = """Anna Boris Clara David Elena Farid Grace Hugo Ines Jonas Katarina Luis Maria Nadia Omar Paula Rosa Samuel
Tariq Vera""".split()
FAMILY = """Alder Brandt Castillo Dumont Eriksen Fischer Garcia Hoffmann Ivanov Jensen Kowalski Lindgren Moreau Novak Okafor
Petrov Quinn Rossi Schmidt Tanaka""".split()
PLACES = """Aldham Borrow Calder Denby Elford Farleigh Garth Hexton Kelling Larkhill Marlow Norden Oakley Penrith Ripley
Selby""".split()
MONTHS = "January February March April May June July August September October November December".split()
Choice = TypeVar("Choice")
MATHS = "α β γ δ λ μ σ θ ω ∑ ∫ ∂ ∇ ∞ ≤ ≥ ≈ ∈ ∀ √ ± × ·".split()


class Texts:
    """A source of words, sentences, names and figures in one language."""

    def __init__(self, seed: int, language: Language | None = None) -> None:
        self.random = random.Random(seed)
        self.language = language or self.random.choices(LANGUAGES, WEIGHTS)[0]

    def pick(self, *choices: Choice) -> Choice:
        """One of the choices."""
        return self.random.choice(choices)

    def chance(self, share: float) -> bool:
        """True in that share of cases."""
        return self.random.random() < share

    def word(self) -> str:
        """A word."""
        if self.language.words:
            return self.random.choice(self.language.words)
        return "".join(self.random.choices(self.language.syllables, k=self.random.randint(1, 4)))

    def words(self, count: int) -> str:
        """So many words."""
        return self.language.space.join(self.word() for _ in range(count))

    def sentence(self, least: int = 5, most: int = 28) -> str:
        """A sentence with its stop, now and then with figures, brackets and names."""
        words = [self.word() for _ in range(self.random.randint(least, most))]
        for place in range(1, len(words)):
            words[place] = self._dressed(words[place])
        text = self.language.space.join(words)
        stop = "?" if self.chance(0.03) else ":" if self.chance(0.02) else self.language.stop
        return text[:1].upper() + text[1:] + stop

    def _dressed(self, word: str) -> str:
        draw = self.random.random()
        if draw < 0.02:
            return f"({word} {self.year()})"
        if draw < 0.035:
            return self.number()
        if draw < 0.05:
            return self.random.choice(FAMILY)
        return word + "," if draw < 0.12 else word

    def prose(self, least: int = 1, most: int = 6) -> str:
        """A paragraph."""
        gap = self.language.space
        return gap.join(self.sentence() for _ in range(self.random.randint(least, most)))

    def title(self, least: int = 1, most: int = 8) -> str:
        """A heading in one of the ways of writing them."""
        text = self.words(self.random.randint(least, most))
        style = self.random.random()
        if style < 0.35:
            text = " ".join(word[:1].upper() + word[1:] for word in text.split(" "))
        elif style < 0.45:
            text = text.upper()
        else:
            text = text[:1].upper() + text[1:]
        return text + (self.pick("?", ":", "!") if self.chance(0.06) else "")

    def name(self) -> str:
        """A person."""
        return f"{self.random.choice(GIVEN)} {self.random.choice(FAMILY)}"

    def place(self) -> str:
        """A place."""
        return self.random.choice(PLACES)

    def year(self) -> int:
        """A year."""
        return self.random.randint(1960, 2026)

    def date(self) -> str:
        """A date in one of the ways of writing them."""
        day, month = self.random.randint(1, 28), self.random.randint(1, 12)
        year = self.year()
        return self.pick(
            f"{day} {MONTHS[month - 1]} {year}",
            f"{MONTHS[month - 1]} {day}, {year}",
            f"{year}-{month:02}-{day:02}",
            f"{day:02}.{month:02}.{year}",
            f"{month}/{day}/{year}",
        )

    def journal(self) -> str:
        """A journal with its year, volume and page."""
        return f"{self.title(1, 3)} {self.year()}, {self.random.randint(1, 40)}:{self.random.randint(1, 400)}"

    def source(self) -> str:
        """What a note cites."""
        page = self.random.randint(1, 400)
        return self.pick(
            f"{self.name()}, {self.title(2, 6)}, {self.place()} {self.year()}, p. {page}.",
            f"See {self.title(1, 3)} v. {self.title(1, 2)}, para. {page}.",
            f"Ibid., p. {page}.",
            f"Cf. {self.name()} ({self.year()}), pp. {page}-{page + 9}.",
            f"https://www.example.org/{self.random.randint(100, 999)}",
        )

    def number(self) -> str:
        """A figure as tables and texts have them."""
        value = self.random.random() ** 3
        return self.pick(
            f"{int(value * 90_000):,}",
            f"{value * 100:.1f}%",
            f"${value * 4_000:,.2f}",
            f"{value * 10:.3f}",
            f"{int(value * 300)}",
            f"({value * 20:.1f})",
            f"{value:.2f} ± {value / 9:.2f}",
        )

    def formula(self) -> str:
        """Something that looks like a formula."""
        return " ".join(
            self.pick(
                f"{self.pick(*'xyzabfgkn')}({self.pick(*'xtun')})",
                self.pick(*MATHS),
                f"{self.pick(*'xyzabkmn')}<sub>{self.pick('i', 'j', 'k', 't', '0')}</sub>",
                f"{self.random.randint(1, 9)}{self.pick(*'xyz')}<sup>2</sup>",
                self.pick("=", "+", "−", "/", "=", "exp", "log"),
            )
            for _ in range(self.random.randint(4, 14))
        )
