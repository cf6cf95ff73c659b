"""What jinn sends, as objects."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from .errors import Risk, ToolError

Decision = Literal["once", "always", "deny"]
EventType = Literal["start", "progress", "question", "decision", "end"]


@dataclass(frozen=True)
class Image:
    """An image of an answer; `data` is base64."""

    mime_type: str
    data: str


@dataclass(frozen=True)
class Answer:
    """What a tool answered; docs/protocol.md tells of each member."""

    result: str = ""
    content: tuple[Image, ...] = ()
    classification: str | None = None
    risk: Risk | None = None
    truncated: bool = False
    total_count: int | None = None
    visualization: dict[str, Any] | None = None
    meta: dict[str, Any] = field(default_factory=dict)

    @property
    def data(self) -> Any:
        """The value of a result that is JSON."""
        return json.loads(self.result)


@dataclass(frozen=True)
class Progress:
    """How far a call is."""

    done: float
    total: float | None
    message: str


@dataclass(frozen=True)
class Question:
    """What a person must approve before a call runs; `message` is what the person is to read."""

    tool: str
    args: dict[str, Any]
    message: str
    permission: dict[str, str]
    answers: tuple[Decision, ...]
    risk: Risk | None


@dataclass(frozen=True)
class Event:
    """What happens to a call: it starts, reports, asks a question, gets the user's decision, and ends.

    `call` is the number of the call. `decision` is None if the user did not answer. `outcome` is what the call returns or
    raises.
    """

    type: EventType
    call: int
    tool: str
    args: Any
    progress: Progress | None = None
    question: Question | None = None
    decision: Decision | None = None
    outcome: Answer | dict[str, Any] | BaseException | None = None


def to_answer(message: Mapping[str, Any]) -> Answer:
    """Returns the answer of a tool, or raises its error."""
    if not message["ok"]:
        raise ToolError(message)
    return Answer(
        result=message.get("result", ""),
        content=tuple(Image(each["mimeType"], each["data"]) for each in message.get("content", ())),
        classification=message.get("classification"),
        risk=message.get("risk"),
        truncated=message.get("truncated", False),
        total_count=message.get("total_count"),
        visualization=message.get("visualization"),
        meta=message.get("meta", {}),
    )


def to_question(asked: Mapping[str, Any]) -> Question:
    """Returns a question; those that do not say otherwise take every answer."""
    answers: tuple[Decision, ...] = tuple(asked.get("answers", ("once", "always", "deny")))
    return Question(
        asked["tool"], asked["args"], asked["message"], asked["permission"], answers, asked.get("risk")
    )


def to_progress(report: Mapping[str, Any]) -> Progress:
    """Returns a report."""
    return Progress(report["done"], report.get("total"), report["message"])


def id_of(message: Mapping[str, Any]) -> str:
    """Returns the id of the request that is answered, which each API has under its own name."""
    for key in ("request_id", "tool_use_id", "tool_call_id", "call_id"):
        if key in message:
            return str(message[key])
    raise ValueError(f"an answer without the id of its request: {json.dumps(message)[:200]}")
