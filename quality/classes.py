"""`python -m quality.classes [--fitted]`: how many made-up documents get the class of labelled examples like them.

Each class has sentences of its own, of which a document has some, in any order, with names and numbers by chance, beside
sentences that every document has; scans lose or change letters. Strangers are of no class and should be unknown. The
thresholds were fitted with the classes of `--fitted`; the others, in other languages, were written after that.
"""

import random
import sys
from collections.abc import Mapping, Sequence

from pagemill.model.document_types import UNKNOWN, DocumentType
from pagemill.model.labelled_classes import LabelledExample, decide_class, features_of
from pagemill.model.search_words import words_of

EXAMPLES = (1, 3, 10)
PER_CLASS = 60
SENTENCES = 8
SHARED = (
    "Company {name} Ltd, {number} Mill Street, phone {number}.",
    "Date: {number} May 2026. Reference {number}.",
    "Kind regards, {name}.",
    "Page 1 of {number}. Please keep this document.",
)
OWN: dict[str, str] = {
    "payslip": "Gross salary {number}|Income tax deducted {number}|Social insurance contribution {number}|Net pay {number}|"
    "Employee number {number}|Tax class {number}|Pay period March|Overtime hours {number}|Holiday pay {number}|Bank of employee",
    "minutes": "Present: {name}, {name} and {name}|The minutes of the last meeting were approved|Agenda item {number}|"
    "{name} reports on the budget|The motion was carried with {number} votes|Next meeting on {number} June|Any other business|"
    "The chair closed the meeting|Apologies from {name}|Action: {name} writes a proposal",
    "claim": "Policy number {number}|Date of the damage {number}|Describe how the accident happened|Was the police informed|"
    "Name of the insured {name}|Amount of the damage {number}|Witnesses {name}|Vehicle registration {number}|Repair shop {name}|"
    "I declare that the claim is true",
    "lease": "The landlord {name} lets to the tenant {name}|The monthly rent is {number}|Deposit of {number}|Notice period of "
    "{number} months|Heating costs are paid in advance|Pets need permission|The flat has {number} rooms|Keys handed over|"
    "Repairs are made by the landlord|The lease begins on {number} July",
    "lab": "Patient {name}|Haemoglobin {number} g per dl|White blood cells {number}|Cholesterol {number} mg|"
    "Sample taken at {number}|Reference range {number} to {number}|Glucose {number}|Physician {name}|Blood count normal|"
    "Thyroid values {number}",
}
UNSEEN: dict[str, str] = {
    "kündigung": "hiermit kündige ich den Vertrag zum {number}|Kundennummer {number}|bitte bestätigen Sie den Eingang|"
    "fristgerecht zum nächstmöglichen Zeitpunkt|die Einzugsermächtigung widerrufe ich|Vertragsnummer {number}|"
    "Mit freundlichen Grüßen {name}|den Anschluss benötige ich nicht mehr|Restguthaben von {number} überweisen Sie bitte",
    "attestation": "Je soussigné {name} certifie|atteste que {name} a suivi la formation|d'une durée de {number} heures|"
    "pour servir et valoir ce que de droit|Fait à Lyon le {number}|sous la direction de {name}|"
    "le stage s'est déroulé du {number}|l'organisme de formation numéro {number}|signature et cachet|niveau atteint {number}",
    "packing": "Number of cartons {number}|Gross weight {number} kg|Pallet {number} of {number}|Carrier {name}|"
    "Shipping mark {number}|Handle with care|Net weight {number} kg|Country of origin|Container {number}|"
    "Contents checked by {name}",
    "timesheet": "Week {number}|Project {name}|Hours on Monday {number}|Hours on Friday {number}|Travel time {number}|"
    "Approved by supervisor {name}|Total hours {number}|Break of {number} minutes|Contractor {name}|Day off",
    "receta": "Paciente {name}|Tomar {number} comprimidos al día|durante {number} semanas|Médico colegiado {number}|"
    "Diagnóstico|Dosis de {number} mg|Después de las comidas|Farmacia {name}|No mezclar con alcohol|Próxima visita el {number}",
}
UNSEEN_STRANGE = (
    "Der Zug nach {name} hat {number} Minuten Verspätung|Le musée ouvre à {number} heures|The bridge is {number} metres long|"
    "El partido terminó con {number} goles|Il gatto dorme sul tetto|Das Wetter bleibt heiter|La recette demande {number} œufs|"
    "Wikinger segelten nach {name}|A comet was seen by {name}|El río crece en abril"
)
STRANGE = (
    "The recipe needs {number} eggs and flour|Bake it for {number} minutes|The train to {name} leaves at {number}|"
    "Our team won by {number} goals|The novel tells of {name} at sea|Turn left at the church|The telescope shows {number} stars|"
    "Rain is expected on Monday|The song was written by {name}|Water the plants each day"
)
NAMES = ("Anna", "Bert", "Carla", "David", "Emil", "Frida", "Gustav", "Hanna")


def make_text(pool: Sequence[str], chance: random.Random, *, scanned: bool) -> str:
    """A document: some sentences of its own and some that all have."""
    chosen = [*chance.sample(list(pool), min(SENTENCES - 2, len(pool))), *chance.sample(SHARED, 2)]
    chance.shuffle(chosen)
    text = " ".join(one.replace("{name}", chance.choice(NAMES)) for one in chosen)
    while "{number}" in text:
        text = text.replace("{number}", str(chance.randrange(1, 9_999)), 1)
    return spoil(text, chance) if scanned else text


def spoil(text: str, chance: random.Random) -> str:
    """A text as a poor scan is recognised: one letter in thirty is lost or another."""
    return "".join(chance.choice(("", "i", "e", one)) if chance.random() < 1 / 30 else one for one in text)


def score(
    examples_per_class: int, classes: Mapping[str, str], strange: str, *, scanned: bool
) -> dict[str, float]:
    """The shares of documents that got their class, got another, and were left unknown; and of strangers that got one."""
    chance = random.Random(f"{examples_per_class} {scanned}")
    pools = {name: listed.split("|") for name, listed in classes.items()}
    examples = [
        LabelledExample(name, f"{name}-{at}", features_of(words_of(make_text(pool, chance, scanned=scanned))))
        for name, pool in pools.items()
        for at in range(examples_per_class)
    ]
    nothing = DocumentType(UNKNOWN, 0.0)

    def class_of(pool: Sequence[str]) -> str:
        text = make_text(pool, chance, scanned=scanned)
        return decide_class(nothing, features_of(words_of(text)), examples)["name"]

    found = [(name, class_of(pool)) for name, pool in pools.items() for _ in range(PER_CLASS)]
    strangers = [class_of(strange.split("|")) for _ in range(PER_CLASS)]
    return {
        "right": round(sum(true == got for true, got in found) / len(found), 3),
        "unknown": round(sum(got == UNKNOWN for _, got in found) / len(found), 3),
        "wrong": round(sum(got not in (true, UNKNOWN) for true, got in found) / len(found), 3),
        "strangers_with_a_class": round(sum(got != UNKNOWN for got in strangers) / len(strangers), 3),
    }


def main(arguments: Sequence[str]) -> None:
    """Print the scores of classes that the thresholds were not fitted with, or of those that they were."""
    classes = (OWN, STRANGE) if "--fitted" in arguments else (UNSEEN, UNSEEN_STRANGE)
    for scanned in (False, True):
        for count in EXAMPLES:
            shown = "  ".join(
                f"{name} {value:.3f}" for name, value in score(count, *classes, scanned=scanned).items()
            )
            print(f"{'scanned' if scanned else 'digital'}, {count:2} examples per class: {shown}")


if __name__ == "__main__":
    main(sys.argv[1:])
