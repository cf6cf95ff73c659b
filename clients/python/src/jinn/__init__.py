"""The tools of jinn for an agent: it reads, searches, changes and checks files and runs commands, in one directory."""

from .client import AsyncJinn, Jinn
from .errors import CallTimeout, ErrorCode, JinnError, SessionClosed, SessionLost, StartError, ToolError
from .messages import Answer, Decision, Event, Image, Progress, Question

__all__ = [
    "Answer",
    "AsyncJinn",
    "CallTimeout",
    "Decision",
    "ErrorCode",
    "Event",
    "Image",
    "Jinn",
    "JinnError",
    "Progress",
    "Question",
    "SessionClosed",
    "SessionLost",
    "StartError",
    "ToolError",
]
