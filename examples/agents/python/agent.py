"""A coding agent: a model, the tools of jinn, and a loop.

    python agent.py         # mends a small project in a temporary directory
    python agent.py TASK    # does the task in the working directory, which needs a key

With ANTHROPIC_API_KEY or OPENAI_API_KEY a real model works. Without one, a script speaks in its place.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from jinn import Decision, Jinn, Question
from models import Model, Scripted, choose_model
from script import PROJECT, SCRIPT, TASK

MAX_TURNS = 50


def run(model: Model, jinn: Jinn, task: str) -> str:
    """Lets the model work until it asks for no more calls, and returns its last words."""
    turn = model.begin(task)
    for _ in range(MAX_TURNS):
        print(f"model: {turn.text}")
        if not turn.calls:
            return turn.text
        answers = []
        for call in turn.calls:
            print(f"call: {json.dumps(call.get('function') or [call['name'], call['input']])}")
            answers.append(jinn.answer(call))
            print(f"answer: {answers[-1]['content']}")
        turn = model.go_on(answers)
    raise RuntimeError(f"the model was not done after {MAX_TURNS} turns")


def ask_person(question: Question) -> Decision:
    """Shows a question at the terminal; whoever says nothing denies."""
    print(question.message)
    print(f"{', '.join(question.answers)}? ", end="", flush=True)
    said = sys.stdin.readline().strip()
    return next((answer for answer in question.answers if answer == said), "deny")


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        for name, text in PROJECT.items():
            path = Path(directory, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        given = " ".join(sys.argv[1:])
        with Jinn("." if given else directory, approve=ask_person) as jinn:
            model = choose_model(jinn, SCRIPT)
            if given and isinstance(model, Scripted):
                sys.exit("a task of your own needs ANTHROPIC_API_KEY or OPENAI_API_KEY")
            run(model, jinn, given or TASK)


if __name__ == "__main__":
    main()
