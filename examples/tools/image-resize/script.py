"""Resizes an image with ImageMagick."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

MAX_BYTES = 100 * 1024 * 1024
SECRET = re.compile(r"^(\.git|\.ssh|\.aws|\.gnupg|\.env(\..*)?)$", re.IGNORECASE)
# By their first bytes. ImageMagick must not guess: some of its formats run programs or read other files.
SIGNATURES = [(b"\x89PNG\r\n\x1a\n", "png"), (b"\xff\xd8\xff", "jpeg"), (b"GIF8", "gif"), (b"RIFF", "webp")]
FORMATS = {".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".gif": "gif", ".webp": "webp"}
LIMITS = ["-limit", "memory", "512MiB", "-limit", "map", "1GiB", "-limit", "disk", "0", "-limit", "time", "40"]


def find_inside(workspace, path):
    """Returns the real path of what is or would be there. Refuses links that lead out of the workspace, and secrets."""
    root = os.path.realpath(workspace)
    real = os.path.realpath(os.path.join(root, path))
    if os.path.commonpath([root, real]) != root:
        raise ValueError(f"{path} is outside of the workspace")
    if any(SECRET.match(part) for part in os.path.relpath(real, root).split(os.sep)):
        raise ValueError(f"{path} is a secret")
    return real


def read_image(real, path):
    if not os.path.isfile(real):
        raise ValueError(f"{path} is not a file")
    with open(real, "rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ValueError(f"{path} is larger than {MAX_BYTES >> 20} MB")
    kind = next((kind for signature, kind in SIGNATURES if content.startswith(signature)), None)
    if kind is None or (kind == "webp" and content[8:12] != b"WEBP"):
        raise ValueError(f"{path} is not a PNG, JPEG, GIF or WebP image")
    return content, kind


def find_magick():
    # ImageMagick 7 is one program, 6 has one for each task.
    if shutil.which("magick"):
        return ["magick"], ["magick", "identify"]
    if shutil.which("convert") and shutil.which("identify"):
        return ["convert"], ["identify"]
    raise ValueError("ImageMagick is not installed: apt install imagemagick, brew install imagemagick")


def run(argv, content):
    done = subprocess.run(argv, input=content, capture_output=True, timeout=50, check=False)
    if done.returncode != 0:
        raise ValueError(done.stderr.decode(errors="replace").strip()[:500] or "ImageMagick failed")
    return done.stdout


def main(args):
    workspace = args.get("workspacePath") or "."
    source = find_inside(workspace, args["path"])
    target = find_inside(workspace, args["output"])
    kind = FORMATS.get(os.path.splitext(target)[1].lower())
    if kind is None:
        raise ValueError("output must end in .png, .jpg, .jpeg, .gif or .webp")
    if os.path.lexists(target) and args.get("overwrite") is not True:
        raise ValueError(f"{args['output']} exists; pass overwrite: true, and a person is asked")
    convert, identify = find_magick()
    content, source_kind = read_image(source, args["path"])
    # Animations keep their frames only as GIF and WebP. The content comes by standard input: no path is interpreted.
    frames = "" if kind in ("gif", "webp") else "[0]"
    size = f"{args.get('width', '')}x{args.get('height', '')}>"
    resize = [] if size == "x>" else ["-resize", size]
    quality = ["-quality", str(args["quality"])] if "quality" in args else []
    animation = ["-coalesce"] if frames == "" and source_kind in ("gif", "webp") else []
    argv = [*convert, *LIMITS, f"{source_kind}:-{frames}", *animation, "-auto-orient", *resize, "-strip", *quality, f"{kind}:-"]
    result = run(argv, content)
    write(target, result)
    width, height = run([*identify, "-format", "%w %h\n", f"{kind}:-"], result).split(b"\n")[0].split()
    shown = {"path": args["output"], "action": "created", "content": f"{int(width)} × {int(height)}, {len(result)} bytes"}
    return {
        "path": args["output"],
        "width": int(width),
        "height": int(height),
        "bytes": len(result),
        "_visualization": {"type": "file-list", "files": [shown]},
    }


def write(target, content):
    """Writes the file beside its place and renames it, so that it is never half written."""
    with tempfile.NamedTemporaryFile(dir=os.path.dirname(target), prefix=".image-", delete=False) as file:
        file.write(content)
    os.chmod(file.name, 0o644)
    os.replace(file.name, target)


try:
    output = main(json.load(sys.stdin))
except (OSError, ValueError, subprocess.SubprocessError) as error:
    output = {"error": str(error)}
print(json.dumps(output))
