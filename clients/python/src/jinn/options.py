"""What a session is opened with, as a command line of jinn."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Sandbox = Literal["off", "auto", "require"]
Dangerous = Literal["ask", "allow", "deny"]


@dataclass(frozen=True)
class Options:
    """The options of `Jinn` and `AsyncJinn`, but for `approve`."""

    root: str | os.PathLike[str]
    toolsets: Sequence[str]
    sandbox: Sandbox | None
    dangerous: Dangerous
    flags: Sequence[str]
    program: str | Sequence[str]
    env: Mapping[str, str] | None

    def command(self) -> list[str]:
        """Returns the program with the flags that say which tools are served, and how."""
        program = [self.program] if isinstance(self.program, str) else list(self.program)
        toolsets = [f"--toolset={','.join(self.toolsets)}"] if self.toolsets else []
        sandbox = [f"--sandbox={self.sandbox}"] if self.sandbox else []
        return [*program, *toolsets, *sandbox, f"--dangerous={self.dangerous}", *self.flags]
