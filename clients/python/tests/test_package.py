from __future__ import annotations

import base64
import csv
import hashlib
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = "import sys, build_jinn; print(getattr(build_jinn, sys.argv[1])(sys.argv[2]))"


class Package(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = Path(temporary.name).resolve()

    def build(self, what: str, root: Path = ROOT, into: str = "dist") -> Path:
        """Builds as pip does, in a process that has the backend alone."""
        directory = self.directory / into
        directory.mkdir()
        env = {**os.environ, "PYTHONPATH": str(root / "backend"), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-c", BUILD, what, str(directory)]
        return directory / subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout.strip()

    def test_the_wheel_holds_the_source_and_its_hashes(self) -> None:
        with zipfile.ZipFile(self.build("build_wheel")) as wheel:
            names = wheel.namelist()
            [record] = [name for name in names if name.endswith(".dist-info/RECORD")]
            rows = list(csv.reader(wheel.read(record).decode().splitlines()))
            hashes = {name: hashlib.sha256(wheel.read(name)).digest() for name in names if name != record}
        shown = {name: base64.urlsafe_b64encode(hash).decode().rstrip("=") for name, hash in hashes.items()}
        expected = [[name, f"sha256={hash}"] for name, hash in shown.items()]
        self.assertEqual([row[:2] for row in rows], [*expected, [record, ""]])
        self.assertIn("jinn/py.typed", names)
        source = {f"jinn/{path.name}" for path in (ROOT / "src/jinn").iterdir() if path.is_file()}
        self.assertEqual({name for name in names if name.startswith("jinn/")}, source)

    def test_the_archive_of_the_source_gives_the_same_wheel(self) -> None:
        subprocess.run(["tar", "-xzf", self.build("build_sdist"), "-C", self.directory], check=True)
        [source] = [path for path in self.directory.iterdir() if path.name.startswith("jinn-")]
        wheel = self.build("build_wheel", into="first")
        self.assertEqual(self.build("build_wheel", source, "second").read_bytes(), wheel.read_bytes())

    @unittest.skipUnless(find_spec("pip"), "there is no pip")
    def test_pip_installs_it_without_a_network(self) -> None:
        self.assertTrue(self.install("wheel").startswith(str(self.directory)))
        self.assertTrue(self.install("editable", "--editable").startswith(str(ROOT)))

    def install(self, name: str, *flags: str) -> str:
        """Installs the package in an environment of its own, and returns where it is then imported from."""
        venv = self.directory / name
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
        python = str(venv / "bin/python")
        env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index"]
        subprocess.run([*pip, *flags, str(ROOT)], check=True, env=env)
        show = [python, "-c", "import jinn; print(jinn.__file__)"]
        return subprocess.run(show, cwd=self.directory, env=env, capture_output=True, text=True, check=True).stdout
