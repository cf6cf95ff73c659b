"""`Jinn` and `AsyncJinn`: the tools of jinn for a program."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import subprocess
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Generic, Literal, TypeVar, Union

from .errors import CallTimeout, SessionClosed, StartError
from .messages import Answer, Decision, Event, EventType, Question, to_answer
from .options import Dangerous, Options, Sandbox
from .process import Approve, OnProgress, Process, Request, to_line

AsyncApprove = Callable[[Question], Union[Decision, Awaitable[Decision]]]
Format = Literal["mcp", "openai", "openai-responses", "anthropic", "gemini"]
ApproveOf = TypeVar("ApproveOf")
Result = TypeVar("Result")

PROTOCOL_VERSION = 1
MAX_LEVELS = 64
MAX_REQUEST_BYTES = 64 * 1024 * 1024
# By the type of a model's call: where its id is, and where its answer has it.
NAMES_OF_IDS = {
    "tool_use": ("id", "tool_use_id"),
    "function": ("id", "tool_call_id"),
    "function_call": ("call_id", "call_id"),
}


class Client(Generic[ApproveOf]):
    """What both clients share: a process, and a new one when that has ended."""

    def __init__(
        self,
        root: str | os.PathLike[str] = ".",
        *,
        toolsets: Sequence[str] = (),
        tools: Sequence[str] = (),
        exclude_tools: Sequence[str] = (),
        read_only: bool = False,
        sandbox: Sandbox | None = None,
        network: bool = True,
        dangerous: Dangerous = "ask",
        history: bool = True,
        approve: ApproveOf | None = None,
        flags: Sequence[str] = (),
        program: str | Sequence[str] = "jinn",
        env: Mapping[str, str] | None = None,
    ) -> None:
        """Starts jinn in `root`.

        `approve` is asked about what a person must approve; without it, such calls are refused. `flags` are further
        flags of jinn, `program` is the program or a command line that starts it, `env` is its whole environment.
        """
        self._options = Options(
            root=root,
            toolsets=toolsets,
            tools=tools,
            exclude_tools=exclude_tools,
            read_only=read_only,
            sandbox=sandbox,
            network=network,
            dangerous=dangerous,
            history=history,
            flags=flags,
            program=program,
            env=env,
        )
        self._approve = approve
        self._lock = threading.Lock()
        self._ids = itertools.count(1)
        self._is_closed = False
        self._listeners: set[Callable[[Event | None], object]] = set()
        self._process = self._start()

    def _start(self) -> Process:
        options = self._options
        asks = ["--approvals=stdio"] if self._approve else []
        command = [*options.command(), "--progress", *asks]
        return Process(command, os.fspath(options.root), options.env, self._ask)

    def _ask(self, question: Question) -> Decision:
        """Puts a question to the caller; it is called in a thread that may wait."""
        raise NotImplementedError

    def _call(
        self, tool: str, args: Mapping[str, Any] | None, parallel: bool, progress: OnProgress | None
    ) -> Future[Answer]:
        own_id = next(self._ids)
        line = to_request({"tool": tool, "args": args, "request_id": str(own_id)}, parallel)
        emit = partial(self._emit, own_id, tool, args or {})
        return self._send(Request(str(own_id), line, to_answer, progress, emit))

    def _answer(self, call: Mapping[str, Any], parallel: bool) -> Future[dict[str, Any]]:
        """Sends a model's call under an id of our own, since those of models may repeat."""
        names = NAMES_OF_IDS.get(str(call.get("type")))
        if not names:
            raise ValueError(f"the type of a call is one of {', '.join(NAMES_OF_IDS)}, not {call.get('type')!r}")
        name, name_in_answer = names
        given_id = call[name]
        own_id = next(self._ids)
        line = to_request({**call, name: str(own_id)}, parallel)
        emit = partial(self._emit, own_id, *tool_of(call))
        return self._send(Request(str(own_id), line, lambda answer: {**answer, name_in_answer: given_id}, None, emit))

    def _emit(self, call: int, tool: str, args: Any, type: EventType, **more: Any) -> None:
        for listen in tuple(self._listeners):
            listen(Event(type, call, tool, args, **more))

    def _listen(self, listener: Callable[[Event | None], object]) -> None:
        """Tells a listener of each event from now on, and of the end by None."""
        with self._lock:
            self._listeners.add(listener)
            if self._is_closed:
                listener(None)

    def _send(self, request: Request) -> Future[Any]:
        """Sends a request, to a new process if the last one has ended."""
        with self._lock:
            if self._is_closed:
                raise SessionClosed("the session is closed")
            if self._process.has_ended:
                self._process = self._start()
            self._process.add(request)
        return request.future

    def _tools(self, format: Format, strict: bool) -> list[dict[str, Any]]:
        options = self._options
        command = [*options.command(), f"--schema={format}", *(["--strict"] if strict else [])]
        printed = subprocess.run(
            command, cwd=options.root, env=options.env, stdin=subprocess.DEVNULL, capture_output=True
        )
        if printed.returncode != 0:
            raise StartError(f"jinn gave no schemas: {printed.stderr.decode(errors='replace').strip()}")
        schemas: list[dict[str, Any]] = json.loads(printed.stdout)
        return schemas

    def _close(self) -> None:
        with self._lock:
            self._is_closed = True
        self._process.close()
        for listen in tuple(self._listeners):
            listen(None)


class Jinn(Client[Approve]):
    """The tools of jinn. Any thread may call; calls of several threads run at the same time."""

    def call(
        self,
        tool: str,
        args: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
        parallel: bool = True,
        progress: OnProgress | None = None,
    ) -> Answer:
        """Calls a tool and returns its answer, or raises a ToolError.

        After `timeout` seconds the call is canceled. With `parallel=False` it waits for all such calls before it.
        `progress` is called in another thread while the call runs.
        """
        return wait_for(self.submit(tool, args, parallel=parallel, progress=progress), timeout)

    def submit(
        self,
        tool: str,
        args: Mapping[str, Any] | None = None,
        *,
        parallel: bool = True,
        progress: OnProgress | None = None,
    ) -> Future[Answer]:
        """Begins a call. To cancel the future cancels the call."""
        return self._call(tool, args, parallel, progress)

    def answer(
        self, call: Mapping[str, Any], *, timeout: float | None = None, parallel: bool = True
    ) -> dict[str, Any]:
        """Answers a call as the API of a model gives it, with the object that the API takes back.

        It is a `tool_use` of Anthropic, or a `function` or `function_call` of OpenAI. A fault of the tool is told in
        the object.
        """
        return wait_for(self._answer(call, parallel), timeout)

    def tools(self, format: Format = "mcp", *, strict: bool = False) -> list[dict[str, Any]]:
        """Returns the tools that are served, as an API takes them."""
        return self._tools(format, strict)

    def events(self) -> Iterator[Event]:
        """Returns what happens to all calls from now on, until the session is closed. Read it in a thread of its own."""
        queue: SimpleQueue[Event | None] = SimpleQueue()
        listener = queue.put

        def read() -> Iterator[Event]:
            try:
                yield from iter(queue.get, None)
            finally:
                self._listeners.discard(listener)

        self._listen(listener)
        return read()

    def close(self) -> None:
        """Cancels the open calls and ends the process with its background jobs."""
        self._close()

    def __enter__(self) -> Jinn:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(self, question: Question) -> Decision:
        assert self._approve
        return self._approve(question)


class AsyncJinn(Client[AsyncApprove]):
    """The tools of jinn for asyncio. To cancel a task cancels its call; calls of several tasks run at the same time."""

    async def call(
        self,
        tool: str,
        args: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
        parallel: bool = True,
        progress: OnProgress | None = None,
    ) -> Answer:
        """Calls a tool and returns its answer, or raises a ToolError.

        After `timeout` seconds the call is canceled. With `parallel=False` it waits for all such calls before it.
        `progress` is called in the event loop while the call runs.
        """
        return await wait_in_loop(self._call(tool, args, parallel, self._in_loop(progress)), timeout)

    async def answer(
        self, call: Mapping[str, Any], *, timeout: float | None = None, parallel: bool = True
    ) -> dict[str, Any]:
        """Answers a call as the API of a model gives it, with the object that the API takes back; see `Jinn.answer`."""
        self._loop = asyncio.get_running_loop()
        return await wait_in_loop(self._answer(call, parallel), timeout)

    async def tools(self, format: Format = "mcp", *, strict: bool = False) -> list[dict[str, Any]]:
        """Returns the tools that are served, as an API takes them."""
        return await asyncio.to_thread(self._tools, format, strict)

    def events(self) -> AsyncIterator[Event]:
        """Returns what happens to all calls from now on, until the session is closed."""
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[Event | None] = asyncio.Queue()

        def listener(event: Event | None) -> None:
            # The loop may have ended before the session.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(queue.put_nowait, event)

        async def read() -> AsyncIterator[Event]:
            try:
                while (event := await queue.get()) is not None:
                    yield event
            finally:
                self._listeners.discard(listener)

        self._listen(listener)
        return read()

    async def close(self) -> None:
        """Cancels the open calls and ends the process with its background jobs."""
        await asyncio.to_thread(self._close)

    async def __aenter__(self) -> AsyncJinn:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _in_loop(self, progress: OnProgress | None) -> OnProgress | None:
        """Remembers the loop, for questions, and returns a callback that runs in it."""
        loop = self._loop = asyncio.get_running_loop()
        return None if progress is None else partial(loop.call_soon_threadsafe, progress)

    def _ask(self, question: Question) -> Decision:
        async def ask() -> Decision:
            assert self._approve
            decision = self._approve(question)
            return decision if isinstance(decision, str) else await decision

        return asyncio.run_coroutine_threadsafe(ask(), self._loop).result()


def wait_for(future: Future[Result], timeout: float | None) -> Result:
    """Waits for an answer. Whatever ends the wait before it cancels the call."""
    try:
        return future.result(timeout)
    except FutureTimeout:
        if future.done():
            raise
        raise CallTimeout(f"the call took more than {timeout} seconds and was canceled") from None
    finally:
        future.cancel()


async def wait_in_loop(future: Future[Result], timeout: float | None) -> Result:
    """Waits for an answer in the event loop, as `wait_for` does."""
    try:
        return await asyncio.wait_for(asyncio.wrap_future(future), timeout)
    except asyncio.TimeoutError:
        if not future.cancelled():
            raise
        raise CallTimeout(f"the call took more than {timeout} seconds and was canceled") from None


def tool_of(call: Mapping[str, Any]) -> tuple[str, Any]:
    """Returns the tool of a model's call, and its arguments. OpenAI gives them as JSON text, which a model may get wrong."""
    body = call.get("function", call)
    args = body.get("input", body.get("arguments"))
    try:
        return body.get("name", ""), json.loads(args) if isinstance(args, str) else args
    except ValueError:
        return body.get("name", ""), args


def to_request(members: Mapping[str, Any], parallel: bool) -> bytes:
    """Returns a request as a line. What jinn would refuse without naming the request is an error here."""
    check(members, 1)
    line = to_line({**members, "parallel": parallel, "protocol": PROTOCOL_VERSION})
    if len(line) > MAX_REQUEST_BYTES:
        raise ValueError(f"the request has {len(line)} bytes; at most {MAX_REQUEST_BYTES} are taken")
    return line


def check(value: object, level: int) -> None:
    """Raises an error if the value is nested too deeply, or a key would be changed by JSON."""
    if not isinstance(value, (Mapping, list, tuple)):
        return
    if level > MAX_LEVELS:
        raise ValueError(f"the arguments are nested deeper than {MAX_LEVELS} levels")
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"a key of the arguments is {key!r}; it must be a string")
    for member in value.values() if isinstance(value, Mapping) else value:
        check(member, level + 1)
