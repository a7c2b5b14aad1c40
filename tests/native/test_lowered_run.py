# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs against stand-ins for the vendors whose replies follow the schema of the request, as constrained output does."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from scripted_host import MOVE_PAGE, Host

# What each dialect sends and hears, as the tests of the provider crate have it recorded.
REPLIES = Path(__file__).parents[2] / "rust/provider/tests/it/replies"
# What the models plan.
STEP = {"id": "s1", "type": "NODE_TREE", "description": "Move it", "payload": {"text": MOVE_PAGE}}
WANTED = {"version": "1.2", "steps": [STEP], "done": True, "final_message": "It is made."}
# The text of every recorded reply.
HELLO = json.dumps("Hello")


@dataclass
class Dialect:
    """A vendor's dialect, by its recordings."""

    name: str
    rules: dict[str, Any]
    """What its constrained output takes."""
    path: str
    reply: str

    @classmethod
    def of(cls, folder: Path) -> Dialect:
        request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
        vendor = json.loads((folder / "vendor.json").read_text(encoding="utf-8"))
        reply = json.dumps(json.loads((folder / "reply.json").read_text(encoding="utf-8")))
        assert HELLO in reply
        return cls(folder.name, vendor["schema"], request["line"].removeprefix("POST "), reply)

    def schema_of(self, body: dict[str, Any]) -> dict[str, Any] | None:
        """The schema that constrains the reply."""
        if any(at(body, pointer) != value for pointer, value in self.rules["constrains"].items()):
            return None
        return at(body, self.rules["at"])

    def saying(self, text: str) -> bytes:
        """A reply with this text."""
        return self.reply.replace(HELLO, json.dumps(text)).encode()


def at(body: Any, pointer: str) -> Any:
    """The value at a JSON Pointer; None where there is none."""
    for name in pointer.split("/")[1:]:
        body = body.get(name) if isinstance(body, dict) else None
    return body


VENDORS = {folder.parent.name: Dialect.of(folder.parent) for folder in sorted(REPLIES.glob("*/vendor.json"))}


def test_vendors_are_recorded() -> None:
    assert len(VENDORS) >= 3


def obey(value: Any, schema: dict[str, Any], root: dict[str, Any]) -> Any:
    """``value`` as a model must write it under ``schema``: everything required is there, maps are lists of pairs."""
    while "$ref" in schema:
        schema = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    if branches := schema.get("anyOf") or schema.get("oneOf"):
        return obey(value, next(one for one in branches if fits(value, one, root)), root)
    if isinstance(value, dict) and schema["type"] == "array":
        item = schema["items"]["properties"]["value"]
        return [{"name": name, "value": obey(part, item, root)} for name, part in value.items()]
    if isinstance(value, dict):
        parts = schema.get("properties", {})
        assert schema.get("additionalProperties") or set(value) <= set(parts), (value, sorted(parts))
        out = {
            name: obey(part, parts.get(name) or schema["additionalProperties"], root) for name, part in value.items()
        }
        for name in set(schema.get("required", ())) - set(out):
            out[name] = empty_value(name, parts[name], root)
        return out
    if isinstance(value, list):
        return [obey(part, schema["items"], root) for part in value]
    return value


def fits(value: Any, schema: dict[str, Any], root: dict[str, Any]) -> bool:
    while "$ref" in schema:
        schema = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    if "anyOf" in schema:
        return any(fits(value, one, root) for one in schema["anyOf"])
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    parts = schema.get("properties", {}).items()
    tags = {name: part.get("const", part.get("enum", [None])[0]) for name, part in parts if one_word(part)}
    names = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", type(None): "null"}
    if isinstance(value, dict):
        return "object" in kinds and all(value.get(name) == word for name, word in tags.items())
    return names[type(value)] in kinds


def one_word(schema: dict[str, Any]) -> bool:
    return "const" in schema or len(schema.get("enum", ())) == 1


def empty_value(name: str, schema: dict[str, Any], root: dict[str, Any]) -> Any:
    if any(one.get("type") == "null" for one in schema.get("anyOf", ())):
        return None
    while "$ref" in schema:
        schema = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    if schema["type"] == "object":
        return {part: empty_value(part, schema["properties"][part], root) for part in schema["required"]}
    return {"string": "", "array": [], "boolean": name == "requires_gate_verification"}[schema["type"]]


class Vendor(BaseHTTPRequestHandler):
    """One request in the dialect of the server."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Stays quiet."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body)
        dialect = self.server.dialect
        assert self.path == dialect.path, self.path
        schema = dialect.schema_of(body)
        wanted = WANTED
        text = json.dumps(obey(wanted, schema, schema) if schema else wanted)
        self.server.wrote.append(json.loads(text))
        data = dialect.saying(text)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@pytest.fixture(params=VENDORS)
def vendor(request: pytest.FixtureRequest) -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Vendor)
    server.dialect = VENDORS[request.param]
    server.daemon_threads, server.asked, server.wrote = True, [], []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_a_constrained_reply_is_converted_to_its_plan(start, host: Host, vendor) -> None:
    url, dialect = f"http://127.0.0.1:{vendor.server_port}/v1", vendor.dialect
    # Some take either tools or a schema; without tools a plan may ask for context.
    settings = {"stream": False, "tools": False}
    run = start("move it up", provider=dialect.name, model="m", base_url=url, api_key="sk-test", settings=settings)
    report = host.drive(run)
    assert report["status"] == "done", report["messages"]
    assert len(vendor.asked) == 1, "the schema was accepted at once"
    assert dialect.schema_of(vendor.asked[0]) is not None, "the reply was constrained"
    # Where a property may be absent, it is; elsewhere its absence must be said.
    assert (vendor.wrote[0] == WANTED) == (dialect.rules["optional"] != 0)
    assert report["steps"][0]["status"] == "done"
