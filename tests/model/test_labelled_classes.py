"""Classes by labelled examples: the nearest decide if they are near enough and nearer than others; otherwise rules do."""

from pagemill.model.document_types import UNKNOWN, DocumentType
from pagemill.model.labelled_classes import MOST_FEATURES, LabelledExample, decide_class, features_of
from quality import classes

INVOICES = (
    "invoice number due date please transfer the total amount to our account within days",
    "invoice number customer total net amount tax please transfer to our account",
)
MEMOS = (
    "to all staff the canteen is closed on monday because of the summer party",
    "to all staff the lift is being repaired on tuesday please use the stairs",
)
NOTHING = DocumentType(UNKNOWN, 0.0, ("no title or label of a known type",))
LETTER = DocumentType("letter", 0.8, ("the greeting 'Dear'",))


def example(name: str, text: str, job_id: str) -> LabelledExample:
    """A labelled document."""
    return LabelledExample(name, job_id, features_of(text.split()))


EXAMPLES = [
    *(example("bill", text, f"b{place}") for place, text in enumerate(INVOICES)),
    *(example("memo", text, f"m{place}") for place, text in enumerate(MEMOS)),
]


def test_the_nearest_examples_decide_and_are_named() -> None:
    found = decide_class(
        NOTHING, features_of("to all staff the canteen is closed on friday".split()), EXAMPLES
    )
    assert (found["name"], found["by"], found["type"]) == ("memo", "examples", UNKNOWN)
    assert "job m0" in found["reasons"][0]


def test_examples_that_are_near_enough_refine_what_rules_say() -> None:
    found = decide_class(LETTER, features_of(INVOICES[0].split()), EXAMPLES)
    assert (found["name"], found["by"], found["type"]) == ("bill", "examples", "letter")


def test_a_document_unlike_all_examples_is_what_rules_say_or_unknown() -> None:
    strange = features_of("quantum chromodynamics of hadrons in the early universe".split())
    assert decide_class(LETTER, strange, EXAMPLES)["by"] == "rules"
    found = decide_class(NOTHING, strange, EXAMPLES)
    assert (found["name"], found["by"]) == (UNKNOWN, "none")
    assert any("below" in reason for reason in found["reasons"])
    assert decide_class(NOTHING, strange, [])["name"] == UNKNOWN


def test_a_document_as_near_to_two_classes_is_unknown() -> None:
    twins = [example("a", MEMOS[0], "1"), example("b", MEMOS[0], "2")]
    found = decide_class(NOTHING, features_of(MEMOS[0].split()), twins)
    assert found["name"] == UNKNOWN
    assert "nearer than others by 0" in found["reasons"][-1]


def test_features_are_few_and_the_same_for_other_numbers() -> None:
    assert features_of(["total", "1234"]) == features_of(["total", "9876"])
    assert features_of(["total", "1234"]) != features_of(["total", "98765"])
    assert len(features_of([f"w{number}x{number}" for number in range(9_000)])) <= MOST_FEATURES


def test_made_up_documents_get_the_class_of_three_examples_and_strangers_get_none() -> None:
    found = classes.score(3, classes.UNSEEN, classes.UNSEEN_STRANGE, scanned=True)
    assert found["right"] >= 0.9
    assert found["wrong"] <= 0.01
    assert found["strangers_with_a_class"] <= 0.05
