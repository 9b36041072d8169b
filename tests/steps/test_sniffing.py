"""What is said of a file that can't be read."""

import pytest

from pagemill.errors import UnsupportedFileType
from pagemill.steps.accept.sniffing import sniff


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (b"PK\x03\x04" + bytes(2_000), "a ZIP archive"),
        (b"\x1f\x8b\x08\x00" + bytes(200), "a gzip archive"),
        (b"7z\xbc\xaf\x27\x1c" + bytes(200), "a 7z archive"),
        (b"RIFF\x24\x08\0\0WAVEfmt " + bytes(200), "an audio recording"),
        (b"\0\0\0\x18ftypisom\0\0\2\0isomiso2" + bytes(200), "a video"),
        (bytes(range(256)), "a file of an unknown type"),
    ],
)
def test_a_file_that_is_refused_is_called_what_people_call_it(head: bytes, words: str) -> None:
    with pytest.raises(UnsupportedFileType, match=f"The file looks like {words}"):
        sniff(head)
