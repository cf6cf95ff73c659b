"""Loads a CSV file into a database in memory and answers one SELECT."""

import csv
import json
import os
import re
import sqlite3
import stat
import sys

MAX_BYTES = 200 * 1024 * 1024
MAX_COLUMNS = 1000
MAX_CELL = 2000
SECRET = re.compile(r"^(\.git|\.ssh|\.aws|\.gnupg|\.env(\..*)?)$", re.IGNORECASE)
# What begins with a zero or a plus is a postcode or a telephone number, and longer ones do not fit into a number.
NUMBER = re.compile(r"^-?(0|[1-9]\d{0,14})(\.\d{1,15})?$")
ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, 33}  # 33: recursive queries


def open_inside(workspace, path):
    """Opens a regular file of the workspace. Refuses links that lead out of it, and secrets."""
    root = os.path.realpath(workspace)
    real = os.path.realpath(os.path.join(root, path))
    if os.path.commonpath([root, real]) != root:
        raise ValueError(f"{path} is outside of the workspace")
    if any(SECRET.match(part) for part in os.path.relpath(real, root).split(os.sep)):
        raise ValueError(f"{path} is a secret")
    descriptor = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise ValueError(f"{path} is not a file")
    if status.st_size > MAX_BYTES:
        raise ValueError(f"{path} is larger than {MAX_BYTES >> 20} MB")
    return open(descriptor, encoding="utf-8-sig", errors="replace", newline="")


def to_value(text):
    if text == "":
        return None
    if NUMBER.match(text):
        return float(text) if "." in text else int(text)
    return text


def names_of(header):
    """Makes the names of columns unique, since a table cannot have two of one name."""
    names = []
    for i, field in enumerate(header[:MAX_COLUMNS]):
        name = field.strip() or f"column{i + 1}"
        while name.lower() in (known.lower() for known in names):
            name += "_"
        names.append(name)
    return names


def load(database, file, delimiter):
    sample = file.read(64 * 1024)
    file.seek(0)
    if delimiter is None:
        first = sample.split("\n", 1)[0]
        delimiter = max(",\t;|", key=first.count)
    csv.field_size_limit(16 * 1024 * 1024)
    reader = csv.reader(file, delimiter=delimiter)
    names = names_of(next(reader, []))
    if not names:
        raise ValueError("the file has no columns")
    quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
    database.execute(f"CREATE TABLE csv ({quoted})")
    width = len(names)
    rows = ([to_value(field) for field in (row + [""] * width)[:width]] for row in reader if row)
    database.executemany(f"INSERT INTO csv VALUES ({', '.join('?' * width)})", rows)


def main(args):
    database = sqlite3.connect(":memory:")
    with open_inside(args.get("workspacePath") or ".", args["path"]) as file:
        load(database, file, args.get("delimiter"))
    # The statement may read the table and nothing else: no ATTACH, no PRAGMA, no extension.
    database.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in ALLOWED else sqlite3.SQLITE_DENY)
    cursor = database.execute(args["sql"])
    if cursor.description is None:
        raise ValueError("the statement is not a SELECT")
    columns = [column[0] for column in cursor.description]
    limit = args.get("limit", 100)
    found = cursor.fetchmany(limit + 1)
    rows = [[to_json(value) for value in row] for row in found[:limit]]
    return report(columns, rows, len(found) > limit)


def to_json(value):
    """Makes a value of SQLite one of JSON, without a loss that nobody sees."""
    if isinstance(value, bytes):
        return f"[{len(value)} bytes]"
    if isinstance(value, str) and len(value) > MAX_CELL:
        return value[:MAX_CELL] + "…"
    is_exact = not isinstance(value, (int, float)) or abs(value) <= 2**53
    return value if is_exact else str(value)


def report(columns, rows, has_more):
    # Two columns of one name need two keys.
    keys = [f"{i}" for i in range(len(columns))]
    table = {
        "type": "table",
        "columns": [{"key": key, "label": label} for key, label in zip(keys, columns)],
        "rows": [dict(zip(keys, row)) for row in rows],
        "hasMore": has_more,
    }
    return {"columns": columns, "rows": rows, "has_more": has_more, "_visualization": table}


try:
    output = main(json.load(sys.stdin))
except (OSError, ValueError, csv.Error, sqlite3.Error) as error:
    output = {"error": str(error)}
print(json.dumps(output))
