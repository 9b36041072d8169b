"""`make image-test`: build the image for real and run it as containers against PostgreSQL, Redis and S3.

No registry is needed: the base is made of Debian's packages with mmdebstrap, buildah builds the Dockerfile on it, and
podman runs the API and workers as user 10001 on a read-only root. It takes root, some minutes and 3 GB in `.image/`.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from bench.door import Door
from bench.ports import free_port
from tests import samples
from tests.cluster import cluster as clusters
from tests.cluster import s3
from tests.cluster.cluster import Cluster, Setting, is_ready
from tests.waiting import wait_for

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".image"
TOOLS = ("buildah", "podman", "runc", "mmdebstrap")
BASE, UV, IMAGE = "localhost/pagemill-python", "localhost/pagemill-uv", "localhost/pagemill"
MOST_BYTES = 600_000_000
MERGED_USR = "/usr/share/mmdebstrap/hooks/merged-usr"
MOST_PROCESSES = 4_096
CERTIFICATES = "/etc/ssl/certs"
# As the official images have it: apt keeps nothing that it can fetch again.
APT = 'Dir::Cache::pkgcache ""; Dir::Cache::srcpkgcache ""; APT::Install-Recommends "false";'
CONFINED = (
    "--read-only",
    "--cap-drop",
    "all",
    "--security-opt",
    "no-new-privileges",
    "--tmpfs",
    "/tmp:mode=1777",
)
# Without systemd, and on machines with both kinds of cgroups.
PODMAN = ("podman", "--cgroup-manager", "cgroupfs", "--events-backend", "file", "--runtime", "runc")
T = TypeVar("T")


def main() -> int:
    """Do all of it, and say how each part went; 1 if one did not hold."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing or os.geteuid() != 0:
        print(f"This takes root and {', '.join(TOOLS)}: apt-get install {' '.join(TOOLS)}", file=sys.stderr)
        return 2
    FOLDER.mkdir(exist_ok=True)
    step("base", make_base)
    step("image", build_image)
    size_bytes = step("size", image_bytes)
    print(f"the image has {size_bytes / 1e6:.0f} MB; at most {MOST_BYTES / 1e6:.0f} are wanted")
    with tempfile.TemporaryDirectory(prefix="pagemill-image-") as folder:
        step("containers", lambda: try_containers(Path(folder)))
    return 0 if size_bytes <= MOST_BYTES else 1


def step(name: str, act: Callable[[], T]) -> T:
    """Do one part, and say how long it took."""
    started = time.monotonic()
    print(f"{name} …", flush=True)
    done = act()
    print(f"{name}: {time.monotonic() - started:.0f} s", flush=True)
    return done


def storage() -> list[str]:
    """Where images are kept, and how: as overlays where the kernel allows it, else as copies (vfs)."""
    return ["--root", str(FOLDER / "store"), "--runroot", str(FOLDER / "run"), "--storage-driver", driver()]


def driver() -> str:
    """The storage driver that works here."""
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        parts = [Path(folder, name) for name in ("lower", "upper", "work", "merged")]
        for part in parts:
            part.mkdir()
        lower, upper, work, merged = parts
        options = f"lowerdir={lower},upperdir={upper},workdir={work}"
        mounted = subprocess.run(
            ["mount", "-t", "overlay", "overlay", "-o", options, str(merged)],
            capture_output=True,
            check=False,
        )
        if mounted.returncode == 0:
            subprocess.run(["umount", str(merged)], check=True)
    return "overlay" if mounted.returncode == 0 else "vfs"


def run(*command: str) -> str:
    """What a command prints; its errors are shown."""
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, cwd=ROOT).stdout.strip()


def buildah(*arguments: str) -> str:
    """Run buildah on our store."""
    return run("buildah", *storage(), *arguments)


def podman(*arguments: str) -> str:
    """Run podman on our store, without systemd."""
    return run(*PODMAN, *storage(), *arguments)


def running_arguments() -> list[str]:
    """How containers run: on the network of this machine, where the servers are, with no more files than it allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limits = ("--ulimit", f"nofile={soft}:{hard}", "--ulimit", f"nproc={MOST_PROCESSES}:{MOST_PROCESSES}")
    return ["--network", "host", "--no-healthcheck", *limits, *CONFINED]


def make_base() -> None:
    """An image with Debian and its Python, at the place where the official image has it; and one with uv."""
    archive = FOLDER / "base.tar"
    if not archive.exists():
        made = archive.with_suffix(".new.tar")
        run(
            "mmdebstrap",
            "--quiet",
            "--variant=minbase",
            '--aptopt=Apt::Install-Recommends "false"',
            f"--hook-dir={MERGED_USR}",
            "--include=python3,ca-certificates,usr-is-merged",
            "bookworm",
            str(made),
        )
        made.rename(archive)
    with container() as base:
        buildah("add", "--quiet", base, str(archive), "/")
        linked = "ln -sf /usr/bin/python3 /usr/local/bin/python3 && rm -rf /usr/share/doc /usr/share/man /usr/share/locale"
        settings = f"printf '%s\\n' '{APT}' > /etc/apt/apt.conf.d/90-small && rm -rf /var/cache/apt /var/lib/apt/lists"
        buildah("run", "--isolation", "chroot", base, "--", "sh", "-c", f"{linked} && {settings}")
        variables = (
            f"SSL_CERT_FILE={CERTIFICATES}/ca-certificates.crt",
            "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        )
        buildah("config", *(part for one in variables for part in ("--env", one)), base)
        buildah("commit", "--quiet", "--squash", base, BASE)
    with container() as uv:
        buildah("copy", "--quiet", uv, str(Path(sys.executable).with_name("uv")), "/uv")
        buildah("commit", "--quiet", uv, UV)


@contextmanager
def container() -> Iterator[str]:
    """An empty working container of buildah."""
    name = buildah("from", "scratch")
    try:
        yield name
    finally:
        buildah("rm", name)


def build_image() -> None:
    """Build the Dockerfile as it is, on our base; the certificates of this machine are only lent to it."""
    buildah(
        "build",
        "--quiet",
        "--isolation",
        "chroot",
        "--network",
        "host",
        "--format",
        "docker",
        "--volume",
        f"{CERTIFICATES}:{CERTIFICATES}:ro",
        "--build-arg",
        f"PYTHON_IMAGE={BASE}",
        "--build-arg",
        f"UV_IMAGE={UV}",
        "--tag",
        IMAGE,
        ".",
    )


def image_bytes() -> int:
    """The size of the image, unpacked."""
    [found] = json.loads(podman("image", "inspect", IMAGE))
    return int(found["Size"])


@dataclass
class Container:
    """A container of the image, which is started, killed and stopped."""

    name: str
    arguments: list[str]
    environment: dict[str, str]

    def start(self) -> None:
        """Run it, on the network of this machine, where the servers are."""
        variables = [part for one in self.environment.items() for part in ("--env", "=".join(one))]
        podman(
            "run",
            "--detach",
            "--replace",
            "--name",
            self.name,
            *running_arguments(),
            *variables,
            IMAGE,
            *self.arguments,
        )

    def kill(self) -> None:
        """End all of its processes without a word."""
        podman("kill", "--signal", "KILL", self.name)
        podman("wait", self.name)

    def stop(self) -> int:
        """Ask it to end; its exit code."""
        podman("stop", "--time", "30", self.name)
        return int(podman("inspect", "--format", "{{.State.ExitCode}}", self.name))

    def logs(self) -> str:
        """The end of what it printed."""
        return podman("logs", "--tail", "20", self.name)


def try_containers(folder: Path) -> None:
    """Migrate, serve and work in containers; read documents while a worker is killed and started again."""
    with s3.running(folder / "bucket") as bucket, clusters.running(folder, bucket) as cluster:
        given = environment_arguments(cluster)
        podman("run", "--rm", *running_arguments(), *given, IMAGE, "admin", "migrate")
        port = free_port()
        api = Container("pagemill-api", ["serve", "--no-workers"], environment(cluster, port=port))
        ports = [free_port() for _ in range(2)]
        workers = [
            Container(f"pagemill-worker-{place}", ["worker"], environment(cluster, metrics_port=port))
            for place, port in enumerate(ports)
        ]
        everything = [api, *workers]
        try:
            for one in everything:
                one.start()
            wait_for(lambda: is_ready(port), 120, api.logs())
            check_confinement(api)
            read_through_a_kill(port, workers[0])
            # One that is asked to stop while it starts ends by the signal.
            wait_for(lambda: all(is_ready(one) for one in ports), 120, workers[0].logs())
            codes = {one.name: one.stop() for one in everything}
            print(f"exit codes after SIGTERM: {codes}")
            assert set(codes.values()) == {0}, codes
        finally:
            for one in everything:
                podman("rm", "--force", "--ignore", one.name)


def environment(cluster: Cluster, **settings: Setting) -> dict[str, str]:
    """The settings of a container: those of a process of the cluster, but for what is of this machine alone."""
    given = cluster.environment(
        "unused", providers="liteparse,pdfium", data_dir="/var/lib/pagemill", **settings
    )
    return {
        name: value
        for name, value in given.items()
        if name.startswith(("PAGEMILL_", "AWS_")) and "MODULES" not in name
    }


def environment_arguments(cluster: Cluster) -> list[str]:
    """The same as arguments of podman."""
    return [part for pair in environment(cluster).items() for part in ("--env", "=".join(pair))]


def check_confinement(api: Container) -> None:
    """The program runs as nobody in particular and can't write to its root."""
    who = podman("exec", api.name, "id", "-u")
    assert who == "10001", who
    written = subprocess.run(
        [*PODMAN, *storage(), "exec", api.name, "touch", "/usr/touched"],
        capture_output=True,
        check=False,
    )
    assert written.returncode != 0, "the root can be written to"
    print(f"user {who}, read-only root, no capabilities")


def read_through_a_kill(port: int, worker: Container) -> None:
    """Hand documents in, kill a worker meanwhile, start it again; every document is read."""
    with Door("127.0.0.1", port) as door:
        ids = [hand_in(door, number) for number in range(20)]
        worker.kill()
        worker.start()
        ids += [hand_in(door, number) for number in range(20, 40)]
        ended = [door.finished([job_id], 120)[0] for job_id in ids]
    assert {job.status for job in ended} == {"completed"}, ended
    print(f"{len(ended)} documents read, one worker killed and started again meanwhile")


def hand_in(door: Door, number: int) -> str:
    """Hand in a letter; the id of its job."""
    return str(door.hand_in(samples.letter(f"Dear {number},"), f"{number}.pdf").expect(202).json()["id"])


if __name__ == "__main__":
    sys.exit(main())
