"""Keeps a list of tasks in todo.json of the workspace."""

import fcntl
import json
import os
import stat
import sys
import tempfile

FILE = "todo.json"
MAX_BYTES = 1024 * 1024
MAX_TODOS = 500


def load():
    # A link could lead out of the workspace, and a FIFO would never end.
    try:
        descriptor = os.open(FILE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return []
    with open(descriptor, encoding="utf-8") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError(f"{FILE} is not a file")
        text = file.read(MAX_BYTES)
    todos = json.loads(text)
    if not isinstance(todos, list) or not all(is_todo(todo) for todo in todos):
        raise ValueError(f"{FILE} is not a list of tasks; move it away")
    return todos


def is_todo(todo):
    return isinstance(todo, dict) and isinstance(todo.get("id"), int) and isinstance(todo.get("content"), str)


def save(todos):
    """Writes the file beside its place and renames it, so that it is never half written."""
    with tempfile.NamedTemporaryFile("w", dir=".", prefix=".todo-", delete=False, encoding="utf-8") as file:
        json.dump(todos, file, ensure_ascii=False, indent=2)
        file.write("\n")
    os.replace(file.name, FILE)


def change(todos, args):
    action = args["action"]
    given = {key: args[key] for key in ("content", "status", "priority") if key in args}
    if action == "clear":
        return []
    if action == "add":
        if "content" not in args:
            raise ValueError("content is missing")
        if len(todos) >= MAX_TODOS:
            raise ValueError(f"there are {MAX_TODOS} tasks already; remove some")
        number = 1 + max((todo["id"] for todo in todos), default=0)
        return [*todos, {"id": number, "status": "pending", "priority": "medium", **given}]
    if not any(todo["id"] == args.get("id") for todo in todos):
        raise ValueError(f"there is no task {args.get('id')}; list shows the ids")
    if action == "remove":
        return [todo for todo in todos if todo["id"] != args["id"]]
    return [{**todo, **given} if todo["id"] == args["id"] else todo for todo in todos]


def main(args):
    if args["action"] == "list":
        todos = load()
    else:
        # Two calls at once must not lose each other's change.
        directory = os.open(".", os.O_RDONLY)
        fcntl.flock(directory, fcntl.LOCK_EX)
        todos = change(load(), args)
        save(todos)
    items = [{key: todo[key] for key in ("content", "status", "priority") if key in todo} for todo in todos]
    return {"todos": todos, "_visualization": {"type": "todo-list", "items": items}}


try:
    output = main(json.load(sys.stdin))
except (OSError, ValueError, RecursionError) as error:
    output = {"error": str(error)}
print(json.dumps(output))
