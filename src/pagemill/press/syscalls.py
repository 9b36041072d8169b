"""The system calls that a child of the press may make, with their numbers on each architecture.

From `asm/unistd_64.h` (x86-64) and `asm-generic/unistd.h` (64-bit ARM) of Linux. 64-bit ARM lacks the older calls.
"""

from dataclasses import dataclass

# The name of each call, its number on x86-64 and on 64-bit ARM; grouped by what it is needed for.
_ALLOWED = """
read=0/63 write=1/64 readv=19/65 writev=20/66 pread64=17/67 pwrite64=18/68 preadv=295/69 pwritev=296/70
close=3/57 fstat=5/80 stat=4/ lstat=6/ newfstatat=262/79 statx=332/291 statfs=137/43 fstatfs=138/44
lseek=8/62 open=2/ openat=257/56 openat2=437/437 creat=85/ access=21/ faccessat=269/48 faccessat2=439/439
readlink=89/ readlinkat=267/78 getdents=78/ getdents64=217/61 getcwd=79/17 chdir=80/49 fchdir=81/50
mkdir=83/ mkdirat=258/34 rmdir=84/ unlink=87/ unlinkat=263/35 rename=82/ renameat=264/38
renameat2=316/276 ftruncate=77/46 fallocate=285/47 fsync=74/82 fdatasync=75/83
sync_file_range=277/84 fadvise64=221/223 readahead=187/213 copy_file_range=326/285 sendfile=40/71
splice=275/76 tee=276/77 dup=32/23 dup2=33/ dup3=292/24 pipe=22/ pipe2=293/59 flock=73/32
close_range=436/436 umask=95/166 getxattr=191/8 lgetxattr=192/9 fgetxattr=193/10 listxattr=194/11
llistxattr=195/12 flistxattr=196/13
mmap=9/222 munmap=11/215 mprotect=10/226 mremap=25/216 madvise=28/233 msync=26/227 mincore=27/232
brk=12/214
rt_sigaction=13/134 rt_sigprocmask=14/135 rt_sigreturn=15/139 rt_sigpending=127/136
rt_sigtimedwait=128/137 rt_sigsuspend=130/133 sigaltstack=131/132 pause=34/
select=23/ pselect6=270/72 poll=7/ ppoll=271/73 epoll_create=213/ epoll_create1=291/20 epoll_ctl=233/21
epoll_wait=232/ epoll_pwait=281/22 epoll_pwait2=441/441 eventfd=284/ eventfd2=290/19
timerfd_create=283/85 timerfd_settime=286/86 timerfd_gettime=287/87 nanosleep=35/101
clock_nanosleep=230/115
futex=202/98 futex_waitv=449/449 set_robust_list=273/99 get_robust_list=274/100 rseq=334/293
membarrier=324/283 sched_yield=24/124 sched_getaffinity=204/123 sched_getparam=143/121
sched_getscheduler=145/120 sched_get_priority_max=146/125 sched_get_priority_min=147/126
set_tid_address=218/96 arch_prctl=158/ exit=60/93 exit_group=231/94 restart_syscall=219/128
clock_gettime=228/113 clock_getres=229/114 gettimeofday=96/169 time=201/ times=100/153 getitimer=36/102
setitimer=38/103 alarm=37/
getpid=39/172 gettid=186/178 getppid=110/173 getuid=102/174 geteuid=107/175 getgid=104/176
getegid=108/177 getresuid=118/148 getresgid=120/150 getgroups=115/158 getpgrp=111/ getpgid=121/155
getsid=124/156 uname=63/160 sysinfo=99/179 getrusage=98/165 getrlimit=97/163 setrlimit=160/164
getcpu=309/168 getrandom=318/278
recvfrom=45/207 getsockopt=55/209 getsockname=51/204 getpeername=52/205 shutdown=48/210
"""

# What a program of the system may not call, in the same form: other processes, namespaces, mounts, the kernel's own
# tools, and messages to sockets that it is not connected to.
_WITHHELD = """
fork=57/ vfork=58/ setsid=112/157 setpgid=109/154 ptrace=101/117 process_vm_readv=310/270
process_vm_writev=311/271 pidfd_open=434/434 pidfd_getfd=438/438 pidfd_send_signal=424/424
unshare=272/97 setns=308/268 mount=165/40 umount2=166/39 pivot_root=155/41 chroot=161/51
open_tree=428/428 move_mount=429/429 fsopen=430/430 bpf=321/280 perf_event_open=298/241
add_key=248/217 request_key=249/218 keyctl=250/219 io_uring_setup=425/425 userfaultfd=323/282
sendmsg=46/211 sendmmsg=307/269 rt_sigqueueinfo=129/138 rt_tgsigqueueinfo=297/240 tkill=200/130
"""


@dataclass(frozen=True, slots=True)
class SystemCalls:
    """The numbers of one architecture: calls that are allowed as they are, and those whose arguments are looked at.

    Those that are `ignored` change nothing and say that they did: the modes and times of files, which libraries set on
    what they write. Landlock does not keep a process from setting those of files that it can't open.
    """

    audit_number: int
    seccomp: int
    capset: int
    clone: int
    fcntl: int
    ioctl: int
    prctl: int
    prlimit: int
    kill: int
    tgkill: int
    sendto: int
    socketpair: int
    socket: int
    connect: int
    bind: int
    listen: int
    allowed: tuple[int, ...]
    ignored: tuple[int, ...]
    withheld: tuple[int, ...]
    clone3: int = 435


def _numbers(table: str, column: int) -> tuple[int, ...]:
    numbers = (entry.split("=")[1].split("/")[column] for entry in table.split())
    return tuple(sorted(int(number) for number in numbers if number))


ARCHITECTURES = {
    "x86_64": SystemCalls(
        audit_number=0xC000003E,
        seccomp=317,
        capset=126,
        clone=56,
        fcntl=72,
        ioctl=16,
        prctl=157,
        prlimit=302,
        kill=62,
        tgkill=234,
        sendto=44,
        socketpair=53,
        socket=41,
        connect=42,
        bind=49,
        listen=50,
        allowed=_numbers(_ALLOWED, 0),
        # chmod, fchmod, fchmodat, utimensat
        ignored=(90, 91, 268, 280),
        withheld=_numbers(_WITHHELD, 0),
    ),
    "aarch64": SystemCalls(
        audit_number=0xC00000B7,
        seccomp=277,
        capset=91,
        clone=220,
        fcntl=25,
        ioctl=29,
        prctl=167,
        prlimit=261,
        kill=129,
        tgkill=131,
        sendto=206,
        socketpair=199,
        socket=198,
        connect=203,
        bind=200,
        listen=201,
        allowed=_numbers(_ALLOWED, 1),
        # fchmod, fchmodat, utimensat
        ignored=(52, 53, 88),
        withheld=_numbers(_WITHHELD, 1),
    ),
}


def ranges(numbers: tuple[int, ...]) -> list[tuple[int, int]]:
    """Sorted numbers as runs of neighbours: the first and the last of each."""
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found
