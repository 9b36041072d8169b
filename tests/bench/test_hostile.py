"""What is told of hostile files: the lines of strace that count."""

from pathlib import Path

from bench.hostile import CONNECTION, outside

TRACE = [
    '7 openat(AT_FDCWD, "/data/own/out/a.md", O_WRONLY|O_CREAT|O_TRUNC|O_CLOEXEC, 0666) = 3',
    '7 openat(AT_FDCWD, "/etc/passwd", O_RDONLY|O_CLOEXEC) = 3',
    '7 openat(AT_FDCWD, "/dev/null", O_RDWR) = 3',
    '8 openat(AT_FDCWD, "/tmp/evil.txt", O_WRONLY|O_CREAT, 0666) = 4',
    '8 openat(AT_FDCWD, "/tmp/refused.txt", O_WRONLY|O_CREAT, 0666) = -1 EACCES (Permission denied)',
    '8 openat(AT_FDCWD, "beside", O_WRONLY|O_CREAT, 0666) = 5',
]


def test_only_files_that_were_opened_for_writing_outside_are_told() -> None:
    assert list(outside(TRACE, Path("/data/own"))) == ["/tmp/evil.txt"]


def test_only_connections_to_other_machines_are_told() -> None:
    reached = '9 connect(3, {sa_family=AF_INET, sin_port=htons(9), sin_addr=inet_addr("127.0.0.1")}, 16) = -1'
    assert CONNECTION.search(reached)
    assert not CONNECTION.search('9 connect(3, {sa_family=AF_UNIX, sun_path="/run/x"}, 110) = -1')
