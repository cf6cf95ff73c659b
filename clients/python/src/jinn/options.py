"""What a session is opened with, as a command line of jinn."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from .errors import StartError

Sandbox = Literal["off", "auto", "require"]
Dangerous = Literal["ask", "allow", "deny"]


@dataclass(frozen=True)
class Options:
    """The options of `Jinn` and `AsyncJinn`, but for `approve`."""

    root: str | os.PathLike[str]
    toolsets: Sequence[str]
    tools: Sequence[str]
    exclude_tools: Sequence[str]
    read_only: bool
    sandbox: Sandbox | None
    network: bool
    dangerous: Dangerous
    history: bool
    flags: Sequence[str]
    program: str | Sequence[str]
    env: Mapping[str, str] | None

    def command(self) -> list[str]:
        """Returns the program with the flags that say which tools are served, and how."""
        name, *arguments = [self.program] if isinstance(self.program, str) else self.program
        program = [find_program(name, self.env), *arguments]
        lists = {"toolset": self.toolsets, "tools": self.tools, "exclude-tools": self.exclude_tools}
        for name, names in lists.items():
            # A text is a sequence too, of letters.
            if isinstance(names, str):
                raise TypeError(f"{name} is a list of names, not {names!r}")
        switches = {"read-only": self.read_only, "no-network": not self.network, "no-history": not self.history}
        flags = [f"--{name}={','.join(names)}" for name, names in lists.items() if names]
        flags += [f"--{name}" for name, is_on in switches.items() if is_on]
        sandbox = [f"--sandbox={self.sandbox}"] if self.sandbox else []
        return [*program, *flags, *sandbox, f"--dangerous={self.dangerous}", *self.flags]


def find_program(name: str, env: Mapping[str, str] | None) -> str:
    """Finds a program in `PATH`, but in no relative directory of it: that would be one in the root, where agents write."""
    path = (os.environ if env is None else env).get("PATH", os.defpath)
    directories = [directory for directory in path.split(os.pathsep) if os.path.isabs(directory)]
    found = shutil.which(name, path=os.pathsep.join(directories))
    if found is None and not os.path.dirname(name):
        raise StartError(f"{name} cannot be started: no absolute directory of PATH has it")
    return found or name
