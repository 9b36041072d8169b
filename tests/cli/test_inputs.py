"""What of a folder is handed in, and what is named as left out."""

from pathlib import Path

from pagemill.entrypoints.cli.remote.inputs import NO_DOCUMENT, OUTSIDE, expand_inputs


def test_what_is_left_out_of_a_folder_is_named_and_links_out_of_it_are_not_followed(tmp_path: Path) -> None:
    folder, outside = tmp_path / "in", tmp_path / "outside"
    for path in (folder / "a.pdf", folder / "below" / "b.PDF", folder / "notes.xyz", outside / "secret.pdf"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"%PDF-1.7")
    (folder / ".hidden").write_bytes(b"")
    (folder / "link.pdf").symlink_to(outside / "secret.pdf")
    (folder / "linked").symlink_to(outside)
    (folder / "same.pdf").symlink_to(folder / "a.pdf")
    skipped: dict[str, str] = {}
    found = expand_inputs([str(folder)], lambda path, reason: skipped.update({path.name: reason}))
    assert found == [folder / "a.pdf", folder / "below" / "b.PDF", folder / "same.pdf"]
    assert skipped == {"link.pdf": OUTSIDE, "linked": OUTSIDE, "notes.xyz": NO_DOCUMENT}
