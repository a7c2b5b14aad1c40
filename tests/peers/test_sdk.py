# SPDX-License-Identifier: GPL-3.0-or-later
"""The official Python SDK as the client: over HTTP, and over the command that clients start."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import bpe_openai
import httpx2
import jsonschema
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import Implementation, PromptReference, ResourceTemplateReference
from serving import Blender, running

CONE = 'def cones() -> Geometry:\n    x = cone()\n    return x\n\n\napply("Cones", object="Grid")\n'


def plan(page: str) -> dict[str, Any]:
    step = {"id": "s1", "type": "NODE_TREE", "description": "As the test says", "payload": {"text": page}}
    return {"version": "1.2", "steps": [step], "done": True, "final_message": "Made."}


@contextlib.asynccontextmanager
async def connected(blender: Blender, name: str = "SDK") -> AsyncIterator[ClientSession]:
    async with (
        httpx2.AsyncClient(headers=blender.headers, timeout=60) as http,
        streamable_http_client(blender.url, http_client=http) as streams,
        ClientSession(streams[0], streams[1], client_info=Implementation(name=name, version="1")) as session,
    ):
        await session.initialize()
        yield session


def check(blender: Blender, speak: Callable[[ClientSession], Awaitable[None]]) -> None:
    async def main() -> None:
        async with connected(blender) as session:
            await asyncio.wait_for(speak(session), 100)

    asyncio.run(main())


def test_the_whole_list_costs_a_client_little_and_is_honest(blender: Blender) -> None:
    async def speak(session: ClientSession) -> None:
        tools = (await session.list_tools()).tools
        listed = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
        text = json.dumps(listed, separators=(",", ":"), ensure_ascii=False)
        tokens = len(bpe_openai.get_encoding("o200k_base").encode_ordinary(text))
        print(f"{len(tools)} tools: {tokens} tokens")
        assert len(tools) > 20
        assert tokens <= 3000
        for tool in tools:
            assert tool.output_schema is not None, tool.name
            assert tool.annotations.open_world_hint is False
            jsonschema.Draft202012Validator.check_schema(tool.input_schema)
            jsonschema.Draft202012Validator.check_schema(tool.output_schema)
        writing = {tool.name for tool in tools if not tool.annotations.read_only_hint}
        assert writing == {
            *("apply_plan", "apply_preset", "tree_generate", "tree_import", "tree_load"),
            *("tree_save", "preset_export", "preset_import"),
        }
        assert all(tool.annotations.destructive_hint for tool in tools if tool.name in writing)

    check(blender, speak)


def test_tools_answer_as_they_are_described(blender: Blender) -> None:
    async def speak(session: ClientSession) -> None:
        # The client holds results to the output schemas of the list; here they have no field besides those.
        whole = {"additionalProperties": False}
        listed = {tool.name: whole | tool.output_schema for tool in (await session.list_tools()).tools}
        called: set[str] = set()

        async def call(tool: str, **arguments: Any) -> Any:
            result = await session.call_tool(tool, arguments)
            assert not result.is_error, (tool, result.content)
            jsonschema.validate(result.structured_content, listed[tool], jsonschema.Draft202012Validator)
            called.add(tool)
            return result.structured_content

        assert (await call("scene_summary"))["objects"]
        assert (await call("check_plan", plan=plan(CONE)))["ok"]
        assert (await call("apply_plan", plan=plan(CONE)))["status"] == "done"
        assert "cone" in (await call("tree_ir", node_group_name="Cones"))["tree"]
        assert (await call("explain_tree", node_group_name="Cones"))["lines"]
        document = (await call("tree_export", node_group_name="Cones"))["document"]
        assert (await call("tree_save", node_group_name="Cones", path="cones.json")) == {"path": "cones.json"}
        assert (await call("tree_diff", before="cones.json", after="Cones")) == {"lines": []}
        assert (await call("tree_import", document=document))["status"] == "done"
        assert (await call("tree_load", path="cones.json"))["status"] == "done"
        assert (await call("tree_generate", description="scatter 5 cubes on the grid"))["status"] == "done"
        assert (await call("apply_preset", preset="wireframe"))["status"] == "done"
        assert (await call("modifier_stack"))["modifiers"]
        assert (await call("geometry_stats"))["evaluated"]
        assert (await call("history"))["runs"]
        assert (await call("list_presets"))["presets"]
        assert (await call("search_presets", query="wireframe"))["presets"]
        assert (await call("search_nodes", query="cone"))["nodes"]
        assert (await call("node_docs", bl_idname="cone"))["nodes"]
        assert (await call("how_to_plan"))["guide"]
        assert await call("picture", object_name="Grid")
        picture = await session.call_tool("picture", {"object_name": "Grid"})
        assert [part.type for part in picture.content] == ["text", "image"]
        assert listed.keys() - called == {"preset_export", "preset_import"}, "which have a test of their own"

    check(blender, speak)


async def completes(session: ClientSession) -> None:
    """What a person types into an argument is completed from what there is."""
    for uri, argument, typed, wanted in (
        ("geonode://node/{bl_idname}", "bl_idname", "mesh to p", "mesh_to_points"),
        ("geonode://preset/{preset}", "preset", "wire", "Wireframe"),
        ("geonode://picture/{object_name}", "object_name", "gr", "Grid"),
    ):
        found = await session.complete(
            ResourceTemplateReference(type="ref/resource", uri=uri), {"name": argument, "value": typed}
        )
        assert wanted in found.completion.values, (uri, found)
        assert len(found.completion.values) <= 100
    nothing = await session.complete(PromptReference(type="ref/prompt", name="make"), {"name": "wish", "value": "g"})
    assert nothing.completion.values == []


def test_pages_and_prompts(blender: Blender) -> None:
    async def speak(session: ClientSession) -> None:
        pages = {str(one.uri): one for one in (await session.list_resources()).resources}
        assert {"geonode://skill", "geonode://guide", "geonode://protocol", "geonode://presets"} <= pages.keys()
        for uri in pages:
            (page,) = (await session.read_resource(uri)).contents
            assert len(page.text) > 100, uri
            if page.mime_type == "application/json":
                json.loads(page.text)
        families = {one.uri_template for one in (await session.list_resource_templates()).resource_templates}
        names = ("node/{bl_idname}", "tree/{node_group_name}", "picture/{object_name}", "preset/{preset}")
        assert families == {f"geonode://{name}" for name in names}
        (seen,) = (await session.read_resource("geonode://picture/Grid")).contents
        assert base64.b64decode(seen.blob).startswith(b"\x89PNG")
        (page,) = (await session.read_resource("geonode://node/mesh_to_points")).contents
        assert "radius" in page.text
        for wrong in ("geonode://tree/none%20of%20these", "geonode://other", "file:///etc/passwd"):
            with pytest.raises(MCPError):
                await session.read_resource(wrong)
        await completes(session)
        prompts = (await session.list_prompts()).prompts
        assert {one.name for one in prompts} == {"make", "explain", "change"}
        made = await session.get_prompt("make", {"wish": "grass"})
        assert "grass" in made.messages[0].content.text
        made = await session.call_tool("apply_plan", {"plan": plan(CONE)})
        assert not made.is_error, made.content
        page, words = (await session.get_prompt("explain", {"tree": "Cones"})).messages
        assert "cone()" in page.content.resource.text, "the tree comes with the prompt"
        assert "Cones" in words.content.text
        for name, given in (("make", {}), ("explain", {"tree": "None of these"})):
            with pytest.raises(MCPError):
                await session.get_prompt(name, given)

    check(blender, speak)


def test_a_client_hears_how_far_a_call_is_and_can_end_it(blender: Blender) -> None:
    async def speak(session: ClientSession) -> None:
        heard: list[str] = []

        async def listen(_progress: float, _total: float | None, message: str | None) -> None:
            heard.append(message or "")

        with blender.artist("wait"):
            call = asyncio.create_task(
                session.call_tool("apply_preset", {"preset": "wireframe"}, progress_callback=listen)
            )
            for _ in range(300):
                await asyncio.sleep(0.05)
                if any("approval" in one for one in heard):
                    break
            assert any("approval" in one for one in heard), heard
            busy = await session.call_tool("apply_preset", {"preset": "wireframe"})
            assert busy.structured_content["error"]["code"] == "tool_busy"
            call.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await call
        with blender.artist("reject"):
            for _ in range(100):
                refused = await session.call_tool("apply_preset", {"preset": "wireframe"})
                if refused.structured_content["error"]["code"] not in ("tool_busy", "run_in_progress"):
                    break
                await asyncio.sleep(0.1)
        assert refused.is_error
        assert refused.structured_content["error"]["code"] == "user_rejected"

    check(blender, speak)


def test_a_program_whose_view_is_old_is_told_what_changed(blender: Blender) -> None:
    async def main() -> None:
        async with connected(blender, "First") as first, connected(blender, "Second") as second:
            page = CONE.replace("cones", "spheres").replace("cone()", "uv_sphere()").replace("Cones", "Spheres")
            made = await first.call_tool("apply_plan", {"plan": plan(page)})
            assert not made.is_error, made.content
            await second.call_tool("tree_ir", {"node_group_name": "Spheres"})
            edit = 'with edit("Spheres"):\n    x.segments = {}\n\n\napply("Spheres", object="Grid")\n'
            changed = await first.call_tool("apply_plan", {"plan": plan(edit.format(7))})
            assert not changed.is_error, changed.content
            old = await second.call_tool("apply_plan", {"plan": plan(edit.format(9))})
            assert old.structured_content["error"]["code"] == "stale_base"
            assert "7" in old.structured_content["error"]["message"]
            again = await second.call_tool("apply_plan", {"plan": plan(edit.format(9))})
            assert not again.is_error, "it has been told, and knows the tree now"

    asyncio.run(main())


def test_the_command_that_clients_start(blender: Blender) -> None:
    async def main() -> None:
        server = blender.command
        arguments = [*server["args"], "--blender", str(blender.pid)]
        parameters = StdioServerParameters(command=server["command"], args=arguments)
        async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
            hello = await session.initialize()
            assert hello.server_info.name == "geonode-assistant"
            assert (await session.call_tool("scene_summary", {})).structured_content["objects"]
            assert "tree text" in (await session.read_resource("geonode://skill")).contents[0].text

    asyncio.run(asyncio.wait_for(main(), 60))


def test_two_blenders_have_an_address_each_and_the_client_chooses(
    blender: Blender, tmp_path_factory: pytest.TempPathFactory
) -> None:
    resources = blender.folder / "resources"
    with running(tmp_path_factory.mktemp("second"), resources) as second:
        assert second.url != blender.url

        async def main(chosen: Blender | None) -> Any:
            server = blender.command
            named = ["--blender", str(chosen.pid)] if chosen else []
            parameters = StdioServerParameters(command=server["command"], args=[*server["args"], *named])
            async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
                await session.initialize()
                return await session.call_tool("scene_summary", {})

        assert not asyncio.run(asyncio.wait_for(main(second), 60)).is_error
        with pytest.raises((MCPError, ExceptionGroup)) as refused:
            asyncio.run(asyncio.wait_for(main(None), 60))
        assert f"--blender {second.pid}" in "".join(map(str, leaves(refused.value)))


def leaves(error: BaseException) -> list[BaseException]:
    inner = getattr(error, "exceptions", None)
    return [leaf for one in inner for leaf in leaves(one)] if inner else [error]
