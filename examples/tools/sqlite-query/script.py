"""Runs one statement on a SQLite database of the workspace."""

import json
import os
import re
import sqlite3
import stat
import sys
import urllib.parse

MAX_CELL = 2000
SECRET = re.compile(r"^(\.git|\.ssh|\.aws|\.gnupg|\.env(\..*)?)$", re.IGNORECASE)
# These lead to other files.
DENIED = {sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH}
DENIED_FUNCTIONS = {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"}
# These only tell what is in the database; others change settings, or name directories.
PRAGMAS = {
    "table_info",
    "table_xinfo",
    "table_list",
    "index_list",
    "index_info",
    "foreign_key_list",
    "foreign_key_check",
    "integrity_check",
    "quick_check",
}


def find_inside(workspace, path):
    """Returns the real path of a regular file of the workspace. Refuses links that lead out of it, and secrets."""
    root = os.path.realpath(workspace)
    real = os.path.realpath(os.path.join(root, path))
    if os.path.commonpath([root, real]) != root:
        raise ValueError(f"{path} is outside of the workspace")
    if any(SECRET.match(part) for part in os.path.relpath(real, root).split(os.sep)):
        raise ValueError(f"{path} is a secret")
    if not stat.S_ISREG(os.stat(real).st_mode):
        raise ValueError(f"{path} is not a file")
    return real


def judge(action, first, second, *_):
    if action in DENIED:
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_FUNCTION and second.lower() in DENIED_FUNCTIONS:
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_PRAGMA and first.lower() not in PRAGMAS:
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


def main(args):
    may_write = args.get("write") is True
    real = find_inside(args.get("workspacePath") or ".", args["path"])
    mode = "rw" if may_write else "ro"
    database = sqlite3.connect(f"file:{urllib.parse.quote(real)}?mode={mode}", uri=True, timeout=5)
    database.set_authorizer(judge)
    before = database.total_changes
    cursor = database.execute(args["sql"], args.get("parameters", []))
    columns = [column[0] for column in cursor.description or []]
    limit = args.get("limit", 100)
    found = cursor.fetchmany(limit + 1) if columns else []
    database.commit()
    changed = database.total_changes - before
    database.close()
    rows = [[to_json(value) for value in row] for row in found[:limit]]
    return report(columns, rows, len(found) > limit, changed if may_write else None)


def to_json(value):
    """Makes a value of SQLite one of JSON, without a loss that nobody sees."""
    if isinstance(value, bytes):
        return f"[{len(value)} bytes]"
    if isinstance(value, str) and len(value) > MAX_CELL:
        return value[:MAX_CELL] + "…"
    is_exact = not isinstance(value, (int, float)) or abs(value) <= 2**53
    return value if is_exact else str(value)


def report(columns, rows, has_more, changed):
    if not columns:
        shown = {"type": "none", "message": f"{changed or 0} rows changed"}
    else:
        # Two columns of one name need two keys.
        keys = [f"{i}" for i in range(len(columns))]
        shown = {
            "type": "table",
            "columns": [{"key": key, "label": label} for key, label in zip(keys, columns)],
            "rows": [dict(zip(keys, row)) for row in rows],
            "hasMore": has_more,
        }
    result = {"columns": columns, "rows": rows, "has_more": has_more, "_visualization": shown}
    return result if changed is None else {**result, "changed": changed}


try:
    output = main(json.load(sys.stdin))
except (OSError, ValueError, OverflowError, sqlite3.Error, sqlite3.Warning) as error:
    output = {"error": str(error)}
print(json.dumps(output))
