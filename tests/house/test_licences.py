"""What pagemill needs to run has licences that everybody can accept."""

from tools import licences


def test_every_licence_is_permissive_or_named_with_a_reason() -> None:
    assert licences.not_permissive() == {}


def test_every_reason_is_still_needed() -> None:
    assert set(licences.NAMED) <= set(licences.packages())
