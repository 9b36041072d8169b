"""The tables of moves."""

from pagemill.model.states import ACTIVE, CHUNK_MOVES, MOVES, TERMINAL, ChunkState, Status


def test_every_state_can_be_reached_and_every_job_has_a_way_out() -> None:
    assert set(MOVES) == set(Status)
    assert set(CHUNK_MOVES) == set(ChunkState)
    for status in Status:
        assert any(status in sources for sources in MOVES.values()), f"nothing leads on from {status}"


def test_a_finished_job_can_only_be_made_pending_again() -> None:
    for status in TERMINAL:
        assert {to for to, sources in MOVES.items() if status in sources} == {Status.PENDING}


def test_a_job_is_either_active_or_over() -> None:
    assert ACTIVE | TERMINAL == set(Status)
    assert not ACTIVE & TERMINAL


def test_a_finished_chunk_never_moves_again() -> None:
    for state in (ChunkState.DONE, ChunkState.FAILED, ChunkState.SPLIT, ChunkState.VOID):
        assert not any(state in sources for sources in CHUNK_MOVES.values())
