# SPDX-License-Identifier: GPL-3.0-or-later
"""What the conformance suite calls, added to our server in the ways that are there: tools as a script adds them, pages
and prompts beside those of the library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from geonode_assistant.agents import server
from geonode_assistant.agents.library import library
from geonode_assistant.messages import AssistantError
from geonode_assistant.run.tools import register_tool

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
ADDRESS = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}},
    },
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}


def add() -> None:
    """Adds them; the server that starts next offers them."""
    tool("test_simple_text", lambda _arguments: {"text": "This is a simple text response for testing."})
    tool("test_image_content", lambda _arguments: {"image": {"media_type": "image/png", "data": PIXEL}})
    tool("test_error_handling", fail)
    tool("json_schema_2020_12_tool", dict, ADDRESS)
    tool("test_template", dict, {"type": "object", "properties": {"id": {"type": "string"}}})
    tool("test_tool_with_progress", progress)
    known = library()
    pages = [
        text("test://static-text", text="This is the content of the static text resource."),
        text("test://example-resource", text="Embedded resource content for testing."),
        text("test://template/", tool="test_template", argument="id"),
        {**text("test://static-binary", tool="test_image_content"), "kind": "image/png"},
    ]
    prompts = [
        prompt("test_simple_prompt", "This is a simple prompt for testing."),
        prompt("test_prompt_with_arguments", "arg1='{arg1}', arg2='{arg2}'", "arg1", "arg2"),
        {**prompt("test_prompt_with_image", "Look at it."), "pages": ["test://static-binary"]},
        {**prompt("test_prompt_with_embedded_resource", "Read it.", "resourceUri"), "pages": ["{resourceUri}"]},
    ]
    more = {**known, "pages": [*known["pages"], *pages], "sayings": [*known["sayings"], *prompts]}
    server.library = lambda: more  # type: ignore[attr-defined]


def tool(id: str, function: Callable[[dict[str, Any]], Any], takes: dict[str, Any] = NOTHING) -> None:
    register_tool(id, "Called by the conformance suite.", takes, {"type": "object"}, function)


def progress(_arguments: dict[str, Any]) -> Iterator[str]:
    yield from ("Begun", "Half of it", "Done")
    return {"text": "It was told how far it was."}


def fail(_arguments: dict[str, Any]) -> dict[str, Any]:
    raise AssistantError("invalid_argument", "This tool intentionally returns an error for testing")


def text(uri: str, **content: str) -> dict[str, Any]:
    return {"uri": uri, "name": uri, "description": "Read by the suite.", "kind": "text/plain", **content}


def prompt(name: str, words: str, *arguments: str) -> dict[str, Any]:
    named = [[argument, "A test argument"] for argument in arguments]
    return {"name": name, "description": "Asked for by the suite", "arguments": named, "text": words}
