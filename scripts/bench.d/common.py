"""What the parts of scripts/bench share."""

import hashlib
import pathlib
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FROZEN = ROOT / "scripts/bench.d/FROZEN"
BUILD = ROOT / ".build-bench"


def fail(status, text):
    print(f"scripts/bench: {text}", file=sys.stderr)
    sys.exit(status)


def read_frozen():
    """What FROZEN says: keys to words, after the sources were held against their hashes."""
    frozen = {"sha256": {}, "reference": {}}
    for line in FROZEN.read_text(encoding="utf-8").splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        if words[0] == "sha256":
            frozen["sha256"][words[2]] = words[1]
        elif words[0] == "reference":
            frozen["reference"][words[1]] = float(words[2])
        elif words[0] == "compile":
            frozen["compile"] = words[1:]
        else:
            frozen[words[0]] = float(words[1])
    for name, wanted in frozen["sha256"].items():
        found = hashlib.sha256((FROZEN.parent / name).read_bytes()).hexdigest()
        if found != wanted:
            fail(2, f"scripts/bench.d/{name} differs from the frozen source: its SHA-256 is {found}, expected {wanted}.\n"
                    "Figures can be compared only while the source stays the same. Restore it; if it must change, measure "
                    "the references again, and write them and the hash into FROZEN.")
    return frozen


def run(*command, capture=True):
    words = [str(word) for word in command]
    result = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE if capture else sys.stderr,
                            text=True, check=False)
    if result.returncode != 0:
        fail(result.returncode if result.returncode > 2 else 3,
             f"{shlex.join(words)}: exit status {result.returncode}")
    return result.stdout


def build_c(frozen, name):
    """Builds scripts/bench.d/NAME.c. Its headers are of the same compiler for every figure: C's own, not Swift's clang."""
    BUILD.mkdir(exist_ok=True)
    program = BUILD / name
    run(shutil.which("gcc") or "cc", *frozen["compile"], "-o", program, FROZEN.parent / f"{name}.c", capture=False)
    return program


def build_swift(*products):
    """Builds products of the package Benchmarks, or of the library, for release."""
    swift = ["swift", "build", "--package-path", ROOT / "Benchmarks", "-c", "release", "--scratch-path", BUILD]
    for product in products:
        run(*swift, "--product", product, capture=False)
    folder = pathlib.Path(run(*swift, "--show-bin-path").strip())
    return [folder / product for product in products]


def hid_tools():
    """A Python that has hid-tools; None where it cannot be had."""
    words = [". \"$1/scripts/setup.bash\" && need_hid_tools \"$1\"", "scripts/bench", ROOT]
    if subprocess.run(["bash", "-c", *words], stdout=sys.stderr, check=False).returncode:
        return None
    return ROOT / ".build-tools/python/bin/python3"
