"""Models: each takes the answers to its calls, and gives its next turn. jinn answers a call in the words of its API."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from jinn import Jinn

Json = dict[str, Any]


@dataclass(frozen=True)
class Turn:
    """What a model says, and the calls it asks for; without calls it is done."""

    text: str
    calls: Sequence[Json] = ()


class Model(Protocol):
    def begin(self, task: str) -> Turn: ...

    def go_on(self, answers: Sequence[Json]) -> Turn: ...


class Anthropic:
    """A model of the Messages API."""

    def __init__(self, key: str, jinn: Jinn) -> None:
        self.url = os.environ.get("ANTHROPIC_BASE_URL", "https://api.anthropic.com") + "/v1/messages"
        self.headers = {"x-api-key": key, "anthropic-version": "2023-06-01"}
        model = os.environ.get("ANTHROPIC_MODEL", "claude-sonnet-4-5")
        self.request: Json = {"model": model, "max_tokens": 8_192, "tools": jinn.tools("anthropic"), "messages": []}

    def begin(self, task: str) -> Turn:
        return self.say(task)

    def go_on(self, answers: Sequence[Json]) -> Turn:
        return self.say(list(answers))

    def say(self, content: str | list[Json]) -> Turn:
        self.request["messages"].append({"role": "user", "content": content})
        blocks = post(self.url, self.headers, self.request)["content"]
        self.request["messages"].append({"role": "assistant", "content": blocks})
        text = "".join(block["text"] for block in blocks if block["type"] == "text")
        return Turn(text, [block for block in blocks if block["type"] == "tool_use"])


class OpenAI:
    """A model of the Chat Completions API."""

    def __init__(self, key: str, jinn: Jinn) -> None:
        self.url = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1") + "/chat/completions"
        self.headers = {"authorization": f"Bearer {key}"}
        model = os.environ.get("OPENAI_MODEL", "gpt-5")
        self.request: Json = {"model": model, "tools": jinn.tools("openai"), "messages": []}

    def begin(self, task: str) -> Turn:
        return self.say([{"role": "user", "content": task}])

    def go_on(self, answers: Sequence[Json]) -> Turn:
        return self.say(answers)

    def say(self, messages: Sequence[Json]) -> Turn:
        self.request["messages"].extend(messages)
        message = post(self.url, self.headers, self.request)["choices"][0]["message"]
        self.request["messages"].append(message)
        return Turn(message.get("content") or "", message.get("tool_calls") or ())


class Scripted:
    """A model that needs no key: it speaks from a script, whatever it is answered."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self.turns = iter(turns)

    def begin(self, task: str) -> Turn:
        return next(self.turns)

    def go_on(self, answers: Sequence[Json]) -> Turn:
        return next(self.turns)


def choose_model(jinn: Jinn, script: Sequence[Turn]) -> Model:
    """Returns a real model if there is a key, and else the script."""
    if key := os.environ.get("ANTHROPIC_API_KEY"):
        return Anthropic(key, jinn)
    if key := os.environ.get("OPENAI_API_KEY"):
        return OpenAI(key, jinn)
    return Scripted(script)


def post(url: str, headers: Mapping[str, str], body: Json) -> Json:
    """Sends a request to an API and returns its answer."""
    sent = {**headers, "content-type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), sent)
    try:
        with urllib.request.urlopen(request, timeout=600) as response:
            answer: Json = json.load(response)
            return answer
    except urllib.error.HTTPError as error:
        raise RuntimeError(f"{url} answered {error.code}: {error.read().decode(errors='replace')}") from None
