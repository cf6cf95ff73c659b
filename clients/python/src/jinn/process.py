"""One process of jinn: its pipes, and the requests that it has not answered."""

from __future__ import annotations

import json
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import IO, Any

from .errors import JinnError, SessionClosed, SessionLost, StartError
from .messages import Decision, Progress, Question, id_of, to_progress, to_question

Approve = Callable[[Question], Decision]
OnProgress = Callable[[Progress], object]

# jinn stops reading, and so hears no cancel, when too much waits: 1,024 requests, or 16 of more than 1 MiB. What is over
# these limits waits here.
MAX_OPEN = 1_000
FEW_OPEN = 15
MAX_OPEN_BYTES = 524_288
KEPT_OF_STDERR = 8_192
GRACE_SECONDS = 5


@dataclass(eq=False)
class Request:
    """A request that has not been answered. Its future is canceled as any other: then jinn is told."""

    id: str
    line: bytes
    read: Callable[[Mapping[str, Any]], Any]
    progress: OnProgress | None
    # Sends an event of this call: its type, and what belongs to that.
    emit: Callable[..., None]
    future: Future[Any] = field(default_factory=Future)
    is_sent: bool = False
    # What a callback of the caller raised: it comes out of the call.
    fault: BaseException | None = None

    def settle(self, message: Mapping[str, Any]) -> None:
        """Gives the caller the answer, unless it has canceled the call."""
        if not self.future.set_running_or_notify_cancel():
            self.emit("end", outcome=CancelledError())
            return
        try:
            if self.fault:
                raise self.fault
            result = self.read(message)
        except BaseException as error:
            self.emit("end", outcome=error)
            self.future.set_exception(error)
        else:
            self.emit("end", outcome=result)
            self.future.set_result(result)

    def fail(self, error: BaseException) -> None:
        """Gives the caller an error."""
        self.fault = self.fault or error
        self.settle({})


class Process:
    """A running jinn. Threads read and write its pipes, so that no caller ever waits for a full one."""

    def __init__(
        self, command: Sequence[str], root: str, env: Mapping[str, str] | None, approve: Approve | None
    ) -> None:
        # In a session of its own, Ctrl-C at the terminal interrupts the caller alone.
        try:
            self._child = subprocess.Popen(
                command, cwd=root, env=env, stdin=-1, stdout=-1, stderr=-1, start_new_session=True
            )
        except OSError as error:
            raise StartError(f"{command[0]} cannot be started in {root}: {error.strerror}: {error.filename}") from error
        self._approve = approve
        self._lock = threading.Lock()
        self._waiting: deque[Request] = deque()
        self._open: dict[str, Request] = {}
        self._open_bytes = 0
        self._ended: JinnError | None = None
        self._has_answered = False
        self._lines: SimpleQueue[bytes | None] = SimpleQueue()
        self._stderr = b""
        self._threads = [
            threading.Thread(target=work, name=f"jinn-{work.__name__}", daemon=True)
            for work in (self._write, self._keep_stderr, self._read)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def has_ended(self) -> bool:
        """Whether the process takes no more requests."""
        return self._ended is not None

    def add(self, request: Request) -> None:
        """Takes a request, and fails it if the process has just ended."""
        request.emit("start")
        request.future.add_done_callback(lambda future: self._cancel(request) if future.cancelled() else None)
        with self._lock:
            ended = self._ended
            if not ended:
                self._waiting.append(request)
                self._send_waiting()
        if ended:
            request.fail(ended)

    def close(self) -> None:
        """Cancels the open calls and ends the process; by force, if it does not end by itself."""
        self._end(SessionClosed("the session was closed"))
        try:
            self._child.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self._child.kill()
        for thread in self._threads:
            # A callback of the caller may close the session.
            if thread is not threading.current_thread():
                thread.join(GRACE_SECONDS)

    def _send_waiting(self) -> None:
        """Sends what may be open; the lock is held."""
        while self._waiting and self._has_room(len(self._waiting[0].line)):
            request = self._waiting.popleft()
            if request.future.cancelled():
                request.settle({})
                continue
            request.is_sent = True
            self._open[request.id] = request
            self._open_bytes += len(request.line)
            self._lines.put(request.line)

    def _has_room(self, size: int) -> bool:
        count = len(self._open)
        return count < FEW_OPEN or (count < MAX_OPEN and self._open_bytes + size <= MAX_OPEN_BYTES)

    def _cancel(self, request: Request) -> None:
        with self._lock:
            if request.is_sent and not self._ended:
                self._lines.put(to_line({"cancel": request.id}))

    def _end(self, reason: JinnError) -> None:
        """Takes no more requests, and fails those that are open."""
        with self._lock:
            if self._ended:
                return
            self._ended = reason
            failed = [*self._open.values(), *self._waiting]
            for id in self._open:
                self._lines.put(to_line({"cancel": id}))
            self._lines.put(None)
            self._open.clear()
            self._waiting.clear()
        for request in failed:
            request.fail(reason)

    def _write(self) -> None:
        assert self._child.stdin
        try:
            with self._child.stdin as stdin:
                for line in iter(self._lines.get, None):
                    stdin.write(line)
                    if self._lines.empty():
                        stdin.flush()
        except BrokenPipeError:
            # It has ended, which the reader sees.
            pass

    def _keep_stderr(self) -> None:
        """Reads standard error to its end, so that jinn never waits for it, and keeps the last of it."""
        assert self._child.stderr
        with self._child.stderr as stderr:
            for chunk in iter(lambda: read_some(stderr), b""):
                self._stderr = (self._stderr + chunk)[-KEPT_OF_STDERR:]

    def _read(self) -> None:
        assert self._child.stdout
        fault = None
        with self._child.stdout as stdout:
            try:
                for line in stdout:
                    # The last line of a process that was killed may be a part of one.
                    if line.endswith(b"\n"):
                        self._take(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                fault = f"it wrote what is no answer: {error}"
                self._child.kill()
        self._end(self._describe_end(fault))

    def _describe_end(self, fault: str | None) -> JinnError:
        status = self._child.wait()
        # What it left running may hold standard error open.
        self._threads[1].join(1)
        how = fault or (f"it ended by signal {-status}" if status < 0 else f"it ended with status {status}")
        said = self._stderr.decode(errors="replace").strip()
        text = f"{how}; standard error: {said}" if said else how
        if not self._has_answered and status > 0 and not fault:
            return StartError(f"jinn did not start: {text}")
        return SessionLost(f"jinn did not answer: {text}; the call may have run or not")

    def _take(self, message: Mapping[str, Any]) -> None:
        self._has_answered = True
        about = message.get("approval")
        if isinstance(about, dict):
            threading.Thread(target=self._ask, args=(about,), name="jinn-ask", daemon=True).start()
        elif "progress" in message:
            self._report(message)
        elif about is None:
            self._settle(message)
        # The rest refuses a decision that came too late: its call is answered.

    def _settle(self, message: Mapping[str, Any]) -> None:
        with self._lock:
            request = self._open.pop(id_of(message), None)
            if not request:
                return
            self._open_bytes -= len(request.line)
            self._send_waiting()
        request.settle(message)

    def _report(self, message: Mapping[str, Any]) -> None:
        request = self._open.get(str(message.get("request_id")))
        if not request or request.fault or request.future.cancelled():
            return
        progress = to_progress(message["progress"])
        request.emit("progress", progress=progress)
        try:
            if request.progress:
                request.progress(progress)
        except Exception as error:
            request.fault = error
            self._cancel(request)

    def _ask(self, asked: Mapping[str, Any]) -> None:
        decision: Decision = "deny"
        request = self._open.get(str(asked.get("request_id")))
        emit = request.emit if request else lambda *_, **__: None
        try:
            assert self._approve
            question = to_question(asked)
            emit("question", question=question)
            decision = self._approve(question)
            if decision not in question.answers:
                raise ValueError(f"approve gave {decision!r}; it must be one of {', '.join(question.answers)}")
            emit("decision", decision=decision)
        except BaseException as error:
            decision = "deny"
            emit("decision")
            if request:
                request.fault = error
        with self._lock:
            if not self._ended:
                self._lines.put(to_line({"approval": asked["id"], "answer": decision}))


def to_line(value: Mapping[str, Any]) -> bytes:
    """Returns a value as a line."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def read_some(stream: IO[bytes]) -> bytes:
    """Returns what there is, at least a byte, or nothing at the end."""
    return stream.read1(65_536)  # type: ignore[attr-defined, no-any-return]
