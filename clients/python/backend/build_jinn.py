"""Builds the package (PEP 517 and 660) with nothing but Python, so that no network is needed."""

from __future__ import annotations

import base64
import email
import hashlib
import io
import os
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
IN_SDIST = ("LICENSE", "METADATA", "README.md", "pyproject.toml", "backend", "src", "tests")
# The first moment that a zip archive can hold: the same source gives the same bytes.
NO_TIME = (1980, 1, 1, 0, 0, 0)

Settings = Mapping[str, Any]


def build_wheel(directory: str, settings: Settings | None = None, metadata: str | None = None) -> str:
    """Writes the wheel and returns its name."""
    return write_wheel(directory, {str(path.relative_to(ROOT / "src")): path.read_bytes() for path in files("src")})


def build_editable(directory: str, settings: Settings | None = None, metadata: str | None = None) -> str:
    """Writes a wheel that leads to the source and returns its name."""
    return write_wheel(directory, {"jinn.pth": f"{ROOT / 'src'}\n".encode()})


def build_sdist(directory: str, settings: Settings | None = None) -> str:
    """Writes the archive of the source and returns its name."""
    top = full_name()
    with tarfile.open(os.path.join(directory, f"{top}.tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        add_bytes(archive, f"{top}/PKG-INFO", core_metadata())
        for path in (path for name in IN_SDIST for path in files(name)):
            add_bytes(archive, f"{top}/{path.relative_to(ROOT)}", path.read_bytes())
    return f"{top}.tar.gz"


def full_name() -> str:
    """Returns the name and the version, as the names of archives have them."""
    metadata = email.message_from_bytes(core_metadata())
    return f"{metadata['Name']}-{metadata['Version']}"


def core_metadata() -> bytes:
    """Returns METADATA, with the README as the description."""
    return (ROOT / "METADATA").read_bytes() + b"\n" + (ROOT / "README.md").read_bytes()


def files(name: str) -> Iterator[Path]:
    """Yields a file, or those below a directory that are source."""
    path = ROOT / name
    found = sorted(path.rglob("*")) if path.is_dir() else [path]
    return (each for each in found if each.is_file() and "__pycache__" not in each.parts)


def write_wheel(directory: str, content: Mapping[str, bytes]) -> str:
    """Writes a wheel with this content and returns its name."""
    info = f"{full_name()}.dist-info"
    wheel = "Wheel-Version: 1.0\nGenerator: build_jinn\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    told = {"METADATA": core_metadata(), "WHEEL": wheel.encode(), "LICENSE": (ROOT / "LICENSE").read_bytes()}
    members = {**content, **{f"{info}/{name}": data for name, data in told.items()}}
    record = "".join(f"{name},{digest(data)},{len(data)}\n" for name, data in members.items())
    members[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    name = f"{full_name()}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(directory, name), "w", zipfile.ZIP_DEFLATED) as archive:
        for member, data in members.items():
            entry = zipfile.ZipInfo(member, NO_TIME)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return name


def digest(data: bytes) -> str:
    """Returns a hash as RECORD has it."""
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def add_bytes(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    """Adds a file to an archive."""
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    archive.addfile(entry, io.BytesIO(data))
