"""Runs the code of docs/integrations/python.md as a reader would: in a project, with jinn on the PATH."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from test_agent import Server, speak_anthropic
from script import PROJECT, TASK

PAGE = Path(__file__).resolve().parents[3] / "docs/integrations/python.md"
BLOCKS = dict(re.findall(r"^```python (\w+)\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL))


class PageTest(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.home = Path(temporary.name).resolve()
        self.root = self.home / "project"
        for name, text in {**PROJECT, "README.md": "old text\n"}.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def run_block(self, name: str, *args: str, said: str = "", **env: str) -> list[str]:
        own = {"HOME": str(self.home), "JINN_CONFIG_DIR": f"{self.home}/config", "XDG_CACHE_HOME": f"{self.home}/cache"}
        command = [sys.executable, "-c", BLOCKS[name], *args]
        everything = {**os.environ, **own, **env}
        done = subprocess.run(command, input=said, cwd=self.root, env=everything, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def test_each_block_is_run_here(self) -> None:
        tests = {name.removeprefix("test_block_") for name in dir(self) if name.startswith("test_block_")}
        self.assertEqual(set(BLOCKS), tests)

    def test_block_agent(self) -> None:
        with Server(speak_anthropic) as url:
            shown = self.run_block("agent", TASK, ANTHROPIC_API_KEY="key", ANTHROPIC_BASE_URL=url)
        self.assertEqual(shown, ["The tests pass, and build is gone."])
        self.assertIn("if numbers else 0", (self.root / "mean.py").read_text())
        # The page's agent asks nobody.
        self.assertTrue((self.root / "build").exists())

    def test_block_calls(self) -> None:
        shown = self.run_block("calls")
        self.assertEqual(shown[0], "1\tone new line")
        self.assertIn("mean.py", shown[1])
        self.assertEqual(shown[2], "file_not_found")
        self.assertFalse((self.root / "notes.txt").exists())

    def test_block_events(self) -> None:
        started, ended = self.run_block("events")
        self.assertEqual(started, "1 list_dir start {'depth': 1}")
        self.assertIn("mean.py", ended)

    def test_block_many(self) -> None:
        shown = self.run_block("many")
        self.assertEqual(shown[0], "1")
        self.assertTrue(shown[1].startswith("Progress(done="))
        self.assertEqual(shown[-1], "the call took more than 1 seconds and was canceled")

    def test_block_approve(self) -> None:
        self.assertIn("command_blocked", self.run_block("approve", said="no\n")[-1])
        self.assertTrue((self.root / "build").exists())
        self.run_block("approve", said="once\n")
        self.assertFalse((self.root / "build").exists())

    def test_block_asyncio(self) -> None:
        self.assertEqual(self.run_block("asyncio"), ["1"])
