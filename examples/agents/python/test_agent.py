"""Runs the agent from the script, and through servers that speak the APIs of Anthropic and OpenAI from it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
import threading
import unittest
from contextlib import redirect_stdout
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from agent import run
from jinn import Jinn
from models import Scripted, Turn
from script import SCRIPT, TASK, turn

HERE = Path(__file__).resolve().parent
Json = dict[str, Any]


class AgentTest(unittest.TestCase):
    def run_agent(self, *args: str, said: str = "once\n", **env: str) -> subprocess.CompletedProcess[str]:
        inherited = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
        command = [sys.executable, str(HERE / "agent.py"), *args]
        with tempfile.TemporaryDirectory() as home:
            own = {"HOME": home, "JINN_CONFIG_DIR": f"{home}/config", "XDG_CACHE_HOME": f"{home}/cache"}
            everything = {**inherited, **own, **env}
            return subprocess.run(command, input=said, env=everything, cwd=home, capture_output=True, text=True)

    def assert_mended(self, done: subprocess.CompletedProcess[str]) -> None:
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        answers = done.stdout.split("answer: ")[1:]
        self.assertIn("len(numbers) + 1", answers[0])
        for failed in (answers[1], answers[3]):
            self.assertIn("FAILED", failed)
        self.assertIn("mean.py", answers[4])
        self.assertIn("OK", answers[6])
        self.assertIn("rm -rf build", done.stdout)
        self.assertIn("[exit: 0]", answers[7])
        self.assertIn("The tests pass, and build is gone.", answers[7])

    def test_it_mends_the_project_from_the_script(self) -> None:
        self.assert_mended(self.run_agent())

    def test_a_person_who_says_nothing_denies(self) -> None:
        done = self.run_agent(said="")
        self.assertEqual(done.returncode, 0)
        self.assertIn("command_blocked", done.stdout)

    def test_a_task_of_ones_own_needs_a_key(self) -> None:
        done = self.run_agent("Do it.")
        self.assertEqual(done.returncode, 1)
        self.assertIn("needs ANTHROPIC_API_KEY or OPENAI_API_KEY", done.stderr)

    def test_it_mends_the_project_with_a_model_of_anthropic(self) -> None:
        with Server(speak_anthropic) as url:
            self.assert_mended(self.run_agent(ANTHROPIC_API_KEY="key", ANTHROPIC_BASE_URL=url))

    def test_it_mends_the_project_with_a_model_of_openai(self) -> None:
        with Server(speak_openai) as url:
            self.assert_mended(self.run_agent(OPENAI_API_KEY="key", OPENAI_BASE_URL=f"{url}/v1"))

    def test_a_model_that_goes_on_and_on_is_stopped(self) -> None:
        with tempfile.TemporaryDirectory() as root, Jinn(root) as jinn, redirect_stdout(io.StringIO()):
            endless = Scripted([turn("Again.", ("list_dir", {}))] * 100)
            with self.assertRaisesRegex(RuntimeError, "not done after 50 turns"):
                run(endless, jinn, TASK)

    def test_a_refusal_of_the_api_is_told(self) -> None:
        with Server(speak_openai) as url:
            done = self.run_agent(OPENAI_API_KEY="wrong", OPENAI_BASE_URL=f"{url}/v1")
        self.assertIn("/v1/chat/completions answered 400", done.stderr)


def speak_anthropic(path: str, headers: Any, body: Json) -> Json:
    """Speaks as the Messages API does, and is as strict about what it is sent."""
    check(path == "/v1/messages" and headers["x-api-key"] == "key" and headers["anthropic-version"] == "2023-06-01")
    check(bool(body["model"]) and body["max_tokens"] > 0 and "input_schema" in body["tools"][0])
    check(body["messages"][0] == {"role": "user", "content": TASK})
    for asked, answered in zip(body["messages"][1::2], body["messages"][2::2]):
        uses = [block["id"] for block in asked["content"] if block["type"] == "tool_use"]
        check([block["tool_use_id"] for block in answered["content"]] == uses)
    next_turn = turn_of(body)
    return {"content": [{"type": "text", "text": next_turn.text}, *next_turn.calls]}


def speak_openai(path: str, headers: Any, body: Json) -> Json:
    """Speaks as the Chat Completions API does, and is as strict about what it is sent."""
    check(path == "/v1/chat/completions" and headers["authorization"] == "Bearer key")
    check(bool(body["model"]) and body["tools"][0]["type"] == "function")
    check(body["messages"][0] == {"role": "user", "content": TASK})
    open_calls: list[str] = []
    for message in body["messages"][1:]:
        if message["role"] == "tool":
            check(message["tool_call_id"] == open_calls.pop(0) and isinstance(message["content"], str))
        else:
            check(open_calls == [])
            open_calls = [call["id"] for call in message["tool_calls"]]
    check(open_calls == [])
    next_turn = turn_of(body)
    calls = [
        {"id": use["id"], "type": "function", "function": {"name": use["name"], "arguments": json.dumps(use["input"])}}
        for use in next_turn.calls
    ]
    message = {"role": "assistant", "content": next_turn.text, **({"tool_calls": calls} if calls else {})}
    return {"choices": [{"message": message}]}


def turn_of(body: Json) -> Turn:
    return SCRIPT[[message["role"] for message in body["messages"]].count("assistant")]


def check(holds: bool) -> None:
    if not holds:
        raise ValueError("the request is not as the API takes it")


class Server:
    """A server of an API, on a port of its own."""

    def __init__(self, speak: Any) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                try:
                    status, answer = 200, speak(self.path, self.headers, body)
                except (ValueError, KeyError) as error:
                    status, answer = 400, {"error": str(error)}
                self.send_response(status)
                self.end_headers()
                self.wfile.write(json.dumps(answer).encode())

            def log_message(self, format: str, *args: Any) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def __enter__(self) -> str:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def __exit__(self, *error: object) -> None:
        self.server.shutdown()
        self.server.server_close()
