"""A workspace of real files, and the real program."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

JINN = Path(__file__).resolve().parents[3] / "apps/jinn/dist/jinn.cjs"
PROGRAM = shlex.split(os.environ.get("JINN_PROGRAM", f"node {shlex.quote(str(JINN))}"))
PATIENCE_SECONDS = 60


class WorkspaceTest(unittest.TestCase):
    """Each test has a directory of its own, and a home of its own."""

    def setUp(self) -> None:
        top = Path(tempfile.mkdtemp(prefix="jinn-test-")).resolve()
        self.addCleanup(shutil.rmtree, top, ignore_errors=True)
        self.root = top / "project"
        self.home = top / "home"
        self.root.mkdir()
        self.home.mkdir()
        env = {**os.environ, "HOME": str(self.home), "JINN_CONFIG_DIR": str(self.home / "config")}
        self.options: dict[str, Any] = {
            "root": self.root,
            # The tests look for processes by their pids, which differ in the sandbox.
            "sandbox": "off",
            # It says the pid of each process.
            "program": ["sh", "-c", 'echo $$ > "$HOME/pid"; exec "$@"', "sh", *PROGRAM],
            "env": {**env, "XDG_CACHE_HOME": str(self.home / "cache")},
        }

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def wait_until(self, holds: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        while not holds():
            self.assertLess(time.monotonic(), end, "it never came to be")
            time.sleep(0.02)

    def has(self, *names: str) -> bool:
        return all((self.root / name).exists() for name in names)

    def read_pid(self, name: str = "project/pid") -> int:
        """Returns the pid that a command wrote."""
        file = self.root.parent / name
        self.wait_until(lambda: file.exists() and file.read_text().endswith("\n"))
        return int(file.read_text())

    def read_pid_of_jinn(self) -> int:
        return self.read_pid("home/pid")


def until_told(name: str) -> dict[str, Any]:
    """Returns a command that says that it has begun, and goes on until it is told to end."""
    return {"command": f"touch {name}; until [ -e go ]; do sleep 0.05; done", "timeout": 60}


def is_alive(pid: int) -> bool:
    """Tells whether a process runs, which a zombie does not."""
    shown = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout
    return bool(shown.strip()) and not shown.startswith("Z")
