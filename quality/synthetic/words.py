"""Words, sentences and figures that nobody wrote, the same for the same seed."""

import random

NOUNS = """harbour river budget school market forest engine letter winter garden council paper bridge village sample
survey island ferry library kitchen museum station meadow contract voyage cellar orchard teacher mill lantern valley
region income salary method report figure measure district factory hospital climate energy transport housing trade""".split()
VERBS = """carries follows records explains opens raises compares lowers crosses supports delays replaces improves
describes keeps divides joins counts measures covers""".split()
ADJECTIVES = """old quiet annual northern small public early common local steady narrow late rural heavy open plain
average total net monthly modern coastal""".split()
JOINS = "and while because although so that before after where".split()
PLACES = """Aldham Borrow Calder Denby Elford Farleigh Garth Hexton Ilby Kelling Larkhill Marlow Norden Oakley Penrith
Quorn Ripley Selby Thorpe Upton Wells Yarm""".split()


class Words:
    """A source of words."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def phrase(self, count: int) -> str:
        """So many words without a stop, the first with a capital."""
        words = [self.random.choice(NOUNS if index % 2 else ADJECTIVES) for index in range(count)]
        return " ".join(words).capitalize()

    def title(self) -> str:
        """A heading."""
        return self.phrase(self.random.randint(2, 5))

    def clause(self) -> str:
        """A clause of a sentence."""
        pick = self.random.choice
        return f"the {pick(ADJECTIVES)} {pick(NOUNS)} {pick(VERBS)} the {pick(NOUNS)} of the {pick(ADJECTIVES)} {pick(NOUNS)}"

    def sentence(self) -> str:
        """A sentence with its stop."""
        clauses = [self.clause() for _ in range(self.random.randint(1, 3))]
        text = clauses[0]
        for clause in clauses[1:]:
            text += f" {self.random.choice(JOINS)} {clause}"
        return text[0].upper() + text[1:] + "."

    def prose(self, sentences: int) -> str:
        """A paragraph."""
        return " ".join(self.sentence() for _ in range(sentences))

    def place(self) -> str:
        """A name."""
        return self.random.choice(PLACES)

    def figure(self, form: str) -> str:
        """A number in one of the forms in which tables have them."""
        size = self.random.uniform(0, 1) ** 3
        match form:
            case "count":
                return f"{int(size * 90_000):,}"
            case "share":
                return f"{size * 100:.1f}%"
            case "money":
                return f"${size * 4_000:,.2f}"
            case "change":
                value = size * 60 - 15
                return f"({-value:.1f})" if value < 0 else f"{value:.1f}"
            case _:
                return str(1990 + int(size * 35))

    def form(self) -> str:
        """A form for the figures of one column."""
        return self.random.choice(["count", "share", "money", "change", "year"])
