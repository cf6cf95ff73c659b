"""A small project with a fault, the task to mend it, and what a model might do, which is wrong at first."""

from __future__ import annotations

from typing import Any

from models import Turn

PROJECT = {
    "mean.py": "def mean(numbers):\n    return sum(numbers) / (len(numbers) + 1)\n",
    "test_mean.py": """import unittest

from mean import mean


class MeanTest(unittest.TestCase):
    def test_some(self):
        self.assertEqual(mean([1, 2, 3]), 2)

    def test_none(self):
        self.assertEqual(mean([]), 0)
""",
    "build/old.txt": "left over\n",
}
TASK = "The tests of mean.py fail. Mend it, run the tests, and remove the directory build."
RUN_TESTS = {"command": "python3 -B -m unittest"}


def turn(text: str, *calls: tuple[str, dict[str, Any]]) -> Turn:
    """Returns a turn as the Messages API of Anthropic gives it."""
    return Turn(
        text,
        [{"type": "tool_use", "id": f"toolu_{i}", "name": name, "input": args} for i, (name, args) in enumerate(calls)],
    )


def edit(old: str, new: str) -> tuple[str, dict[str, Any]]:
    return ("edit_file", {"path": "mean.py", "old_text": old, "new_text": new})


SCRIPT = [
    turn("I look first.", ("read_file", {"path": "mean.py"}), ("run_shell", RUN_TESTS)),
    turn(
        "The sum is divided by one too many.",
        edit("(len(numbers) + 1)", "len(numbers)"),
        ("run_shell", RUN_TESTS),
    ),
    turn(
        "An empty list is not handled. I take that back and do it otherwise.",
        ("undo", {"action": "restore", "last": 1}),
        edit(
            "    return sum(numbers) / (len(numbers) + 1)",
            "    return sum(numbers) / len(numbers) if numbers else 0",
        ),
        ("run_shell", RUN_TESTS),
    ),
    turn("Now the directory.", ("run_shell", {"command": "rm -rf build"})),
    turn("The tests pass, and build is gone."),
]
