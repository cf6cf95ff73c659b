"""What may go wrong: a tool, the start of jinn, its process, a deadline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast

ErrorCode = Literal[
    "invalid_request",
    "invalid_args",
    "unknown_tool",
    "path_outside_sandbox",
    "file_not_found",
    "permission_denied",
    "not_a_file",
    "not_a_directory",
    "binary_file",
    "file_too_large",
    "stale_file",
    "conflict",
    "edit_not_found",
    "edit_not_unique",
    "edit_no_change",
    "edit_overlap",
    "old_text_empty",
    "patch_invalid",
    "patch_conflict",
    "invalid_regex",
    "invalid_glob",
    "command_blocked",
    "approval_required",
    "timeout",
    "canceled",
    "resource_limit",
    "lsp_unavailable",
    "lsp_error",
    "not_found",
    "write_failed",
    "unavailable",
    "tool_failed",
    "internal",
]
Risk = Literal["safe", "caution", "dangerous"]


class JinnError(Exception):
    """Any error of this package."""


class ToolError(JinnError):
    """A tool did not do what it was asked; `code` names the fault."""

    def __init__(self, failure: Mapping[str, Any]) -> None:
        super().__init__(failure)
        self.code = cast(ErrorCode, failure["error_code"])
        self.message: str = failure["error"]
        self.suggestion: str | None = failure.get("suggestion")
        self.classification: str | None = failure.get("classification")
        self.risk: Risk | None = failure.get("risk")
        self.visualization: dict[str, Any] | None = failure.get("visualization")
        self.meta: dict[str, Any] = failure.get("meta", {})

    def __str__(self) -> str:
        next_step = f"; {self.suggestion}" if self.suggestion else ""
        return f"{self.code}: {self.message}{next_step}"


class StartError(JinnError):
    """The program could not be started, or refused its flags."""


class SessionLost(JinnError):
    """The process ended during the call, which may have run or not. The next call starts a new process."""


class SessionClosed(JinnError):
    """The session was closed before the call was answered."""


class CallTimeout(JinnError, TimeoutError):
    """The deadline of a call passed. The call was canceled; what it had done until then stays."""
