"""A real scheduler and real workers, each a process of its own, for the tests of this folder."""

import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

DASK = Path(sys.executable).with_name("dask")
SECONDS = 60


def _start(*arguments, log):
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    with log.open("w") as file:
        # In a session of its own, so that an interrupt of the tests ends it by our hand alone.
        return subprocess.Popen(
            [DASK, *arguments],
            stdout=file,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )


def _wait_for(what, condition):
    until = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < until, f"{what} did not come within {SECONDS} s"
        time.sleep(0.05)


@contextmanager
def dask_cluster(folder, workers=2):
    """Yield the address of a scheduler and the processes of its workers."""
    from distributed import Client

    file, processes = folder / "scheduler.json", []
    try:
        processes.append(
            _start(
                *("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"),
                *("--dashboard-address", "127.0.0.1:0", "--scheduler-file", file),
                log=folder / "scheduler.log",
            )
        )
        _wait_for("the scheduler", lambda: file.exists() and file.read_text().endswith("}"))
        address = json.loads(file.read_text())["address"]
        for i in range(workers):
            processes.append(
                _start(
                    *("worker", address, "--no-nanny", "--nthreads", "1", "--no-dashboard"),
                    *("--host", "127.0.0.1", "--local-directory", folder / f"worker-{i}"),
                    *("--dashboard-address", "127.0.0.1:0", "--name", f"worker-{i}"),
                    log=folder / f"worker-{i}.log",
                )
            )
        with Client(address, timeout=SECONDS) as client:
            client.wait_for_workers(workers, timeout=SECONDS)
        yield address, processes[1:]
    finally:
        for process in reversed(processes):
            process.kill()
            process.wait()
