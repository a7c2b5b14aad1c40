# SPDX-License-Identifier: GPL-3.0-or-later
"""The WebSocket, with the ``websockets`` library as the client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable
from typing import Any

import pytest
from serving import Blender
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus


def opened(blender: Blender, **more: Any) -> connect:
    return connect(blender.socket, **{"additional_headers": blender.headers, "max_size": 8 << 20, **more})


def run(speaking: Awaitable[None]) -> None:
    asyncio.run(asyncio.wait_for(speaking, 60))


async def say(connection: ClientConnection, **message: Any) -> None:
    await connection.send(json.dumps(message))


async def call(client: ClientConnection, number: int, tool: str, **more: Any) -> None:
    await say(client, type="tool_call", call_id=f"c{number}", tool_name=tool, **more)


async def hear(client: ClientConnection) -> dict[str, Any]:
    return json.loads(await asyncio.wait_for(client.recv(), 30))


def test_results_come_in_the_order_of_the_calls(blender: Blender) -> None:
    async def main() -> None:
        async with opened(blender) as client:
            tools = ["scene_summary", "search_nodes", "modifier_stack", "none_of_these", "how_to_plan"] * 4
            for number, tool in enumerate(tools):
                await call(client, number, tool, arguments={"query": "cone"} if tool == "search_nodes" else {})
            answers = [await hear(client) for _ in tools]
            assert [one["call_id"] for one in answers] == [f"c{number}" for number in range(len(tools))]
            assert [one["seq"] for one in answers] == [*range(1, len(tools) + 1)]
            for tool, one in zip(tools, answers, strict=True):
                assert one["type"] == "tool_result"
                if tool == "none_of_these":
                    assert one["error"]["code"] == "unknown_tool"
                else:
                    assert one["result"], one

    run(main())


@pytest.mark.parametrize("field", ["requires_approval", "requires_confirmation"])
def test_a_call_that_asks_for_approval_waits_for_the_artist(blender: Blender, field: str) -> None:
    async def main() -> None:
        async with opened(blender) as client:
            with blender.artist("wait"):
                await call(client, 1, "modifier_stack", arguments={}, **{field: True})
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(client.recv(), 0.7)
            assert (await hear(client))["result"]["object"] == "Grid"
            with blender.artist("reject"):
                await call(client, 2, "modifier_stack", arguments={}, **{field: True})
                assert (await hear(client))["error"]["code"] == "user_rejected"

    run(main())


def test_changes_wait_and_can_be_ended(blender: Blender) -> None:
    async def main() -> None:
        async with opened(blender) as client, opened(blender) as other:
            with blender.artist("wait"):
                await call(client, 1, "apply_preset", arguments={"preset": "wireframe"})
                await asyncio.sleep(1)
                await call(other, 1, "apply_preset", arguments={"preset": "wireframe"})
                assert (await hear(other))["error"]["code"] in ("tool_busy", "run_in_progress")
                await call(other, 2, "modifier_stack", arguments={})
                assert (await hear(other))["result"], "reading goes on"
                await say(client, type="cancel", call_id="c1")
                assert (await hear(client))["error"]["code"] == "cancelled"

    run(main())


async def is_asked(client: ClientConnection, number: int) -> None:
    """A call is shown to the artist, once they are not asked about that of an earlier test any more."""
    for _ in range(40):
        await call(client, number, "modifier_stack", arguments={}, requires_approval=True)
        try:
            answer = json.loads(await asyncio.wait_for(client.recv(), 0.7))
        except TimeoutError:
            return
        assert answer["error"]["code"] == "tool_busy", answer
    pytest.fail("the artist is never asked")


def test_a_call_id_belongs_to_one_call_at_a_time(blender: Blender) -> None:
    async def main() -> None:
        async with opened(blender) as client:
            with blender.artist("wait"):
                await is_asked(client, 1)
                await call(client, 1, "scene_summary", arguments={})
                refused = await hear(client)
                assert (refused["type"], refused["error"]["code"]) == ("error", "tool_validation_error")
            answer = await hear(client)
            assert answer.get("result", {}).get("object") == "Grid", answer
            await call(client, 1, "modifier_stack", arguments={})
            assert (await hear(client))["call_id"] == "c1", "free again"

    run(main())


def test_a_client_that_comes_back_gets_what_it_missed(blender: Blender) -> None:
    async def main() -> None:
        async with opened(blender) as client:
            await say(client, type="hello", client="Comes Back")
            welcome = await hear(client)
            assert (welcome["type"], welcome["resumed"]) == ("welcome", False)
            for number in range(3):
                await call(client, number, "modifier_stack", arguments={})
            first = await hear(client)
        async with opened(blender) as again:
            await say(again, type="hello", client="Comes Back", resume=welcome["session"], received=first["seq"])
            assert (await hear(again))["resumed"] is True
            assert [(await hear(again))["call_id"] for _ in range(2)] == ["c1", "c2"]
            await call(again, 3, "modifier_stack", arguments={})
            assert (await hear(again))["call_id"] == "c3"
        async with opened(blender) as stranger:
            await say(stranger, type="hello", resume="0" * 32)
            assert (await hear(stranger))["resumed"] is False

    run(main())


def test_strangers_are_refused(blender: Blender) -> None:
    async def main() -> None:
        for headers, status in (
            ({}, 401),
            ({"Authorization": "Bearer wrong"}, 401),
            ({**blender.headers, "Origin": "https://example.org"}, 403),
        ):
            with pytest.raises(InvalidStatus) as refused:
                async with opened(blender, additional_headers=headers):
                    pass
            assert refused.value.response.status_code == status

    run(main())


def test_messages_without_meaning_execute_nothing(blender: Blender) -> None:
    async def main() -> None:
        async with opened(blender) as client:
            for text, code in (
                ("{", "invalid_json"),
                ("[1]", "tool_validation_error"),
                ('{"type": "exec", "code": "1"}', "tool_validation_error"),
                ("[" * 100_000, "invalid_json"),
                ('{"type": "tool_call", "call_id": "x", "tool_name": 3}', "tool_validation_error"),
                ('{"call_id": "x", "tool_name": "modifier_stack", "arguments": {"wrong": 1}}', "tool_validation_error"),
                ('{"call_id": "x", "tool_name": "modifier_stack", "arguments": 7}', "tool_validation_error"),
            ):
                await client.send(text)
                assert (await hear(client))["error"]["code"] == code, text[:80]
            await call(client, 1, "modifier_stack", arguments={})
            assert (await hear(client))["result"]["object"] == "Grid"
        async with opened(blender) as client:
            with pytest.raises(ConnectionClosed) as closed:
                await client.send("x" * (2 << 20))
                await client.recv()
            assert closed.value.rcvd is None or closed.value.rcvd.code == 1009
        async with opened(blender) as client:
            with pytest.raises(ConnectionClosed):
                for _ in range(1000):
                    await client.send("nonsense")
                    await client.recv()

    run(main())


def test_a_client_that_reads_nothing_is_held_back_and_holds_nobody(blender: Blender) -> None:
    async def main() -> None:
        async with opened(blender, max_queue=1) as stalled, opened(blender) as other:

            async def flood() -> None:
                for number in range(100_000):
                    await call(stalled, number, "how_to_plan", arguments={})

            flooding = asyncio.create_task(flood())
            await asyncio.sleep(1)
            for number in range(20):
                await call(other, number, "modifier_stack", arguments={})
                assert (await hear(other))["result"], "others are served"
            assert not flooding.done()
            flooding.cancel()
            # Its goodbye would not be read either.
            stalled.transport.abort()

    run(main())
