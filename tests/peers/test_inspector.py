# SPDX-License-Identifier: GPL-3.0-or-later
"""The inspector's command line as the client, over HTTP and over the command; only with ``--full``."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

import node
import pytest
from serving import Blender

pytestmark = pytest.mark.skipif(not os.environ.get("GEONODE_FULL"), reason="only with --full")


def inspect(blender: Blender, target: list[str], *arguments: str) -> Any:
    folder = node.package(node.INSPECTOR)
    program = [node.node(), folder / "clients" / "launcher" / "build" / "index.js", "--cli"]
    ran = subprocess.run(
        [*program, *target, *arguments], capture_output=True, encoding="utf-8", timeout=120, cwd=blender.folder
    )
    assert ran.returncode == 0, ran.stdout[-1500:] + ran.stderr[-1500:]
    return json.loads(ran.stdout)


@pytest.fixture(params=["http", "command"])
def target(request: pytest.FixtureRequest, blender: Blender) -> list[str]:
    if request.param == "http":
        header = f"Authorization: Bearer {blender.token}"
        return [blender.url, "--transport", "http", "--header", header]
    server = blender.command
    return [server["command"], *server["args"]]


def test_the_inspector_lists_and_calls(blender: Blender, target: list[str]) -> None:
    tools = inspect(blender, target, "--method", "tools/list")["tools"]
    assert "apply_plan" in {tool["name"] for tool in tools}
    called = inspect(blender, target, "--method", "tools/call", "--tool-name", "modifier_stack")
    assert called["structuredContent"]["object"] == "Grid"
    pages = inspect(blender, target, "--method", "resources/list")["resources"]
    assert "geonode://skill" in {page["uri"] for page in pages}
