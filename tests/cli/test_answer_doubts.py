"""What `pagemill ask` says of an answer that nothing supports."""

from pagemill.entrypoints.cli.understanding.actions import doubts_of


def test_servers_that_do_not_report_every_doubt_are_understood() -> None:
    assert list(doubts_of({"unsupported_numbers": [], "unverified_quotes": []})) == []
    [doubt] = doubts_of({"unsupported_numbers": ["47"]})
    assert doubt.endswith("47")
    [doubt] = doubts_of({"uncited_numbers": [3]})
    assert doubt.endswith("[3]")
