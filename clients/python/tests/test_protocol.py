from __future__ import annotations

import json
import pickle
import subprocess
import unittest
from dataclasses import fields
from typing import Any, get_args

from jinn import Answer, Decision, ErrorCode, ToolError
from workspace import PROGRAM


class Protocol(unittest.TestCase):
    """The types are those of the protocol that jinn prints."""

    schemas: dict[str, Any]

    @classmethod
    def setUpClass(cls) -> None:
        printed = subprocess.run([*PROGRAM, "--schema=protocol"], capture_output=True, check=True)
        cls.schemas = json.loads(printed.stdout)["$defs"]

    def test_the_codes_of_errors(self) -> None:
        self.assertEqual(list(get_args(ErrorCode)), self.schemas["failure"]["properties"]["error_code"]["enum"])

    def test_the_members_of_an_answer(self) -> None:
        members = set(self.schemas["success"]["properties"]) - {"ok", "request_id"}
        self.assertEqual({field.name for field in fields(Answer)}, members)

    def test_the_members_of_an_error(self) -> None:
        error = ToolError({"error": "it is not there", "error_code": "not_found"})
        members = set(self.schemas["failure"]["properties"]) - {"ok", "request_id", "approval", "error", "error_code"}
        self.assertEqual({*vars(error)} - {"code", "message"}, members)

    def test_the_decisions(self) -> None:
        self.assertEqual(list(get_args(Decision)), self.schemas["decision"]["properties"]["answer"]["enum"])

    def test_an_error_can_be_sent_to_another_process(self) -> None:
        error = ToolError({"error": "it is not there", "error_code": "not_found"})
        self.assertEqual(pickle.loads(pickle.dumps(error)).code, "not_found")
