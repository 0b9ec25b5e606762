"""The system calls that a run may not make: what walls do not keep out.

These are the kernel's keyrings, which hold keys of the grader's and keep what one student leaves
for the next; memory that no process is seen to hold, so that it is not counted; and namespaces of a
run's own, where file systems in memory have no bounds.
"""

import errno
import platform
import struct

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_FORBIDDEN = {
    # add_key, request_key, keyctl, memfd_create, memfd_secret, shmget, unshare, clone3
    "x86_64": (248, 249, 250, 319, 447, 29, 272, 435),
    "aarch64": (217, 218, 219, 279, 447, 194, 97, 435),
}
_CLONE = {"x86_64": 56, "aarch64": 220}
_NEW_USER_NAMESPACE = 0x10000000
# Numbers from here on are calls of x86_64 in another dress.
_X32 = 0x40000000

# As in linux/bpf_common.h and linux/seccomp.h.
_LOAD, _EQUALS, _AT_LEAST, _HAS_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
# As if the kernel had no such call; the C library then makes threads by the older clone.
_REFUSED, _ALLOWED = 0x00050000 | errno.ENOSYS, 0x7FFF0000


def forbidden_calls(machine: str | None = None) -> bytes:
    """Return the filter that bubblewrap's option --seccomp reads; empty where numbers are unknown.

    Parameters
    ----------
    machine
        As `platform.machine` says; None is this one.
    """
    machine = machine or platform.machine()
    if machine not in _ARCHITECTURES:
        return b""
    steps = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUALS, 1, 0, _ARCHITECTURES[machine]),
        (_RETURN, 0, 0, _REFUSED),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _REFUSED),
    ]
    for number in _FORBIDDEN[machine]:
        steps += [(_EQUALS, 0, 1, number), (_RETURN, 0, 0, _REFUSED)]
    steps += [
        (_EQUALS, 0, 3, _CLONE[machine]),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_HAS_BIT, 0, 1, _NEW_USER_NAMESPACE),
        (_RETURN, 0, 0, _REFUSED),
        (_RETURN, 0, 0, _ALLOWED),
    ]
    # A code, how far to jump if so and if not, a value.
    return b"".join(struct.pack("=HBBI", *step) for step in steps)
