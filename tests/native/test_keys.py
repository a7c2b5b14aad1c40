# SPDX-License-Identifier: GPL-3.0-or-later
"""Stored keys through the native module. Precedence, links and damage are tested in Rust
(``rust/provider/src/keys``).
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import geonode_core
import pytest

KEY = "sk-test-0123456789-never-seen"
REPLY = {"choices": [{"message": {"content": "ready"}, "finish_reason": "stop"}]}


class Server(ThreadingHTTPServer):
    """A model server on loopback that records the keys that it gets."""

    def __init__(self) -> None:
        seen = self.seen = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                seen.append(self.headers["Authorization"])
                body = json.dumps(REPLY).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None: ...

        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        threading.Thread(target=self.serve_forever, daemon=True).start()


@pytest.fixture
def server():
    with Server() as one:
        yield one
        one.shutdown()


@pytest.fixture(autouse=True)
def headless(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Removes key store and keys from the environment; returns the path of the file of keys."""
    for name in ("GEONODE_ASSISTANT_HOME", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path / "geonode-assistant" / "keys.json"


linux = pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a key store")


def ask(url: str, **options: object) -> None:
    client = geonode_core.Client("openai-compatible", "m", url, **options)
    client.send([{"role": "user", "content": "hello"}])
    assert KEY not in repr(client)


@linux
def test_a_stored_key_is_sent_only_to_its_address(server: Server, headless: Path) -> None:
    assert geonode_core.key_place("openai-compatible", server.url) is None
    ask(server.url)
    kept = geonode_core.keep_key("openai-compatible", KEY, server.url)
    assert kept == {"place": "file", "path": str(headless)} == geonode_core.key_place("openai-compatible", server.url)
    assert stat.S_IMODE(headless.stat().st_mode) == 0o600
    ask(server.url)
    ask(server.url + "/deeper")
    ask(server.url, stored_key=False)
    ask(server.url, api_key="given")
    ask(server.url.replace("127.0.0.1", "localhost"))
    assert server.seen == [None, f"Bearer {KEY}", f"Bearer {KEY}", None, "Bearer given", None]
    assert geonode_core.key_place("openai") is None
    assert geonode_core.remove_key("openai-compatible", server.url)
    assert not geonode_core.remove_key("openai-compatible", server.url)
    ask(server.url)
    assert server.seen[-1] is None


@linux
def test_the_environment_comes_before_what_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    geonode_core.keep_key("openai", KEY)
    assert geonode_core.key_place("openai")["place"] == "file"
    assert geonode_core.key_place("openai", "https://elsewhere.example/v1") is None
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    assert geonode_core.key_place("openai") == {"place": "environment", "variable": "OPENAI_API_KEY"}
    monkeypatch.setenv("MY_KEY", "y")
    assert geonode_core.key_place("openai", variable="MY_KEY")["variable"] == "MY_KEY"
    assert geonode_core.key_place("offline") is None


@linux
def test_errors_have_a_code_and_never_contain_the_key(headless: Path) -> None:
    def catch_refusal(call, *arguments: object) -> str:
        with pytest.raises(geonode_core.CoreError) as caught:
            call(*arguments)
        assert KEY not in f"{caught.value} {caught.value!r} {caught.value.details}"
        return caught.value.code

    assert catch_refusal(geonode_core.keep_key, "openai", f"{KEY}\n") == "key_invalid"
    assert catch_refusal(geonode_core.keep_key, "openai", KEY * 100) == "key_invalid"
    assert catch_refusal(geonode_core.keep_key, "nobody", KEY) == "unknown_provider"
    assert catch_refusal(geonode_core.keep_key, "openai-compatible", KEY) == "setting_invalid"
    assert catch_refusal(geonode_core.keep_key, "openai-compatible", KEY, "http://far.example") == "insecure_url"
    geonode_core.keep_key("openai", KEY)
    headless.chmod(0o644)
    client = geonode_core.Client("openai", "m")
    assert catch_refusal(client.models) == "key_file_unsafe"
    headless.chmod(0o600)
    headless.write_text(headless.read_text()[:-5])
    assert catch_refusal(client.stream, [{"role": "user", "content": "hello"}]) == "key_file_damaged"
    kept = geonode_core.keep_key("openai", KEY)
    assert Path(kept["set_aside"]).exists()


@linux
def test_concurrent_writes_lose_nothing(headless: Path) -> None:
    code = "import sys, geonode_core\nfor n in range(20): geonode_core.keep_key('openai', 'k' * 9, f'https://{sys.argv[1]}{n}.example')"
    writers = [subprocess.Popen([sys.executable, "-c", code, name], env=dict(os.environ)) for name in "abc"]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    assert len(json.loads(headless.read_text())["keys"]) == 60


SESSION = """
import geonode_core
assert geonode_core.key_place("openai") is None
kept = geonode_core.keep_key("openai", KEY)
assert kept["place"] == "system" == geonode_core.key_place("openai")["place"], kept
assert geonode_core.key_place("openai", "https://elsewhere.example") is None
geonode_core.keep_key("openai", KEY + "2")
assert geonode_core.remove_key("openai") and not geonode_core.remove_key("openai")
geonode_core.keep_key("openai-compatible", KEY, URL)
geonode_core.Client("openai-compatible", "m", URL).send([{"role": "user", "content": "hello"}])
print("the end")
"""


@pytest.mark.skipif(
    not (shutil.which("gnome-keyring-daemon") and shutil.which("dbus-run-session")),
    reason="needs gnome-keyring and dbus",
)
def test_the_key_store_of_the_desktop(server: Server, headless: Path, tmp_path: Path) -> None:
    """Uses GNOME's own Secret Service on a private session bus."""
    script = tmp_path / "session.py"
    ready = tmp_path / "ready.py"
    ready.write_text("import geonode_core\ngeonode_core.keep_key('gemini', 'k' * 9)['place'] == 'system' or exit(1)")
    script.write_text(f"KEY, URL = {KEY!r}, {server.url!r}\n{SESSION}")
    shell = f"""
        echo pass | gnome-keyring-daemon --unlock --components=secrets --foreground & keyring=$!
        for _ in $(seq 100); do
            {sys.executable} {ready} && break
            sleep 0.1
        done
        {sys.executable} {script}; status=$?
        kill $keyring; exit $status
    """
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data"), "XDG_RUNTIME_DIR": str(tmp_path)}
    run = subprocess.run(
        ["dbus-run-session", "--", "sh", "-c", shell],
        capture_output=True,
        text=True,
        env=dict(os.environ) | home,
        timeout=60,
    )
    assert "the end" in run.stdout, run.stdout + run.stderr
    assert server.seen == [f"Bearer {KEY}"]
    assert not headless.exists() or KEY not in headless.read_text(), "the file is for systems without a key store"
