# SPDX-License-Identifier: GPL-3.0-or-later
"""Other programs: connect, read, change with the artist's approval, and what is refused. One server for all cases."""

from __future__ import annotations

import contextlib
import http.client
import io
import itertools
import json
import os
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import bpy
import geonode_assistant
import pytest
from geonode_assistant import native
from geonode_assistant.agents import calls, server, stdio
from geonode_assistant.agents.server import Programs
from geonode_assistant.agents.who import Who
from geonode_assistant.host import context, export, folders, ownership
from geonode_assistant.run import session
from geonode_assistant.run.tools import register_tool, unregister
from geonode_assistant.ui import agents
from geonode_assistant.ui.operators import agents as operators
from layouts import Layout

HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "Test\u202e Program", "version": "1"},
}


class Client:
    """A program: speaks HTTP on a thread of its own, as the main thread is Blender's."""

    def __init__(self, programs: Programs) -> None:
        self.programs = programs
        at = urlsplit(programs.url)
        self.address, self.path = at.netloc, at.path
        self.token = json.loads((folders.own_folder() / "agents" / f"{os.getpid()}.json").read_text())["token"]
        self.session = ""
        self.number = 0

    def headers(self, **more: str) -> dict[str, str]:
        sent = {
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        if self.session:
            sent |= {"Mcp-Session-Id": self.session, "MCP-Protocol-Version": "2025-06-18"}
        return {name: value for name, value in (sent | more).items() if value}

    def post(self, body: bytes, headers: dict[str, str], during: Callable[[], object] = lambda: None) -> tuple:
        """Status, session and text of the answer; ticks meanwhile as Blender's timer does."""
        found: list[Any] = []

        def speak() -> None:
            connection = http.client.HTTPConnection(self.address, timeout=20)
            try:
                connection.request("POST", self.path, body, headers)
                response = connection.getresponse()
                found.append((response.status, response.getheader("Mcp-Session-Id"), response.read().decode()))
            except OSError as error:
                found.append(error)
            finally:
                connection.close()

        thread = threading.Thread(target=speak)
        thread.start()
        end = time.monotonic() + 30
        while thread.is_alive() and time.monotonic() < end:
            self.programs.tick()
            session.current.poll()
            during()
            time.sleep(0.001)
        thread.join(1)
        if isinstance(found[0], OSError):
            raise found[0]
        return found[0]

    def ask(self, method: str, params: Any = None, during: Callable[[], object] = lambda: None) -> Any:
        """The result of a request, or its error."""
        self.number += 1
        body = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params or {}}
        status, name, text = self.post(json.dumps(body).encode(), self.headers(), during)
        assert status == 200, text
        self.session = name or self.session
        # A stream that ends with its session has no message.
        lines = [text] if text.startswith("{") else [line[5:] for line in text.splitlines() if line.startswith("data:")]
        answers = [json.loads(line) for line in lines if line.strip()]
        return next(one for one in answers if one.get("id") == self.number)

    def connect(self) -> Client:
        """Says hello as the protocol wants it."""
        self.hello = self.ask("initialize", HELLO)["result"]
        done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        assert self.post(json.dumps(done).encode(), self.headers())[0] == 202
        return self

    def leave(self) -> int:
        """Says goodbye; the status of the answer."""
        connection = http.client.HTTPConnection(self.address, timeout=20)
        with contextlib.closing(connection):
            connection.request("DELETE", self.path, headers=self.headers())
            return connection.getresponse().status

    @property
    def known(self) -> int:
        """The number of its session, as long as no other one of its name was begun after it."""
        return max(one["session"] for one in self.programs.clients() if one["name"] == "Test Program")

    def call(self, tool: str, during: Callable[[], object] = lambda: None, **arguments: Any) -> Any:
        """The structured result of a tool, or ``{"error"}``."""
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments}, during)
        return answer["result"]["structuredContent"]


@pytest.fixture(scope="module")
def programs() -> Iterator[Programs]:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.mesh.primitive_grid_add()
    made = Programs()
    made.start()
    assert made.error is None
    with pytest.MonkeyPatch.context() as patch:
        # The usual one may be that of another Blender on this machine; this one comes back to its own.
        patch.setattr(server, "PORT", urlsplit(made.url).port)
        yield made
    made.stop()


@pytest.fixture
def client(programs: Programs) -> Iterator[Client]:
    made = Client(programs).connect()
    yield made
    with contextlib.suppress(OSError):
        made.leave()


def answering(accept: bool) -> Callable[[], None]:
    """The artist who answers what the panel asks."""

    def answer() -> None:
        for request, _ in session.current.pending:
            session.current.decide(request, accept)

    return answer


def test_only_the_owner_can_read_where_the_server_is(programs: Programs) -> None:
    (file,) = (folders.own_folder() / "agents").glob(f"{os.getpid()}.json")
    assert json.loads(file.read_text())["url"] == programs.url
    assert programs.url.startswith("http://127.0.0.1:")
    if os.name == "posix":
        assert file.stat().st_mode & 0o777 == 0o600


def test_what_a_blender_left_that_crashed_is_removed_by_the_next_one(programs: Programs) -> None:
    """It would be taken for a second Blender, since there is an answer at its address."""
    folder = folders.own_folder() / "agents"
    known = json.loads((folder / f"{os.getpid()}.json").read_text())
    dead, other = folder / "1.json", folder / "2.json"
    dead.write_text(json.dumps({**known, "pid": 1, "token": "old"}))
    other.write_text(json.dumps({**known, "pid": 2, "url": "http://127.0.0.1:1/mcp"}))
    try:
        programs.stop()
        programs.start()
        assert programs.url == known["url"], "the port is free again"
        assert not dead.exists()
        assert other.exists(), "who is at another address may be running"
    finally:
        other.unlink()


def test_a_program_reads(client: Client) -> None:
    tools = {tool["name"]: tool for tool in client.ask("tools/list")["result"]["tools"]}
    assert tools["scene_summary"]["annotations"]["readOnlyHint"] is True
    assert tools["apply_preset"]["annotations"]["readOnlyHint"] is False
    assert not {name for name in tools if "script" in name or "python" in name}
    assert [one["name"] for one in client.call("scene_summary")["objects"]] == ["Grid"]
    assert client.call("search_nodes", query="distribute points on faces")["nodes"]
    assert client.call("modifier_stack")["object"] == "Grid"
    assert not client.call("check_plan", plan={"steps": 3})["ok"]
    assert client.call("check_plan", plan=plan(PAGE))["ok"]
    assert client.call("list_presets")["presets"]
    assert [one["name"] for one in client.programs.clients()] == ["Test Program"]


def test_what_changes_the_file_waits_for_the_artist(client: Client) -> None:
    grid = bpy.data.objects["Grid"]
    asked: list[bool] = []

    def look() -> None:
        if session.current.pending:
            asked.append(bool(grid.modifiers))
            answering(len(asked) > 1)()

    refused = client.call("apply_preset", answering(False), preset="wireframe")
    assert refused["error"]["code"] == "user_rejected", refused
    assert not grid.modifiers
    asked.append(False)
    made = client.call("apply_preset", look, preset="wireframe")
    assert made["status"] == "done", made
    assert len(asked) > 1, "the artist was asked"
    assert not any(asked), "before anything was written"
    assert len(grid.modifiers) == 1
    assert "mesh_to_curve" in client.call("tree_ir")["tree"]
    assert client.call("explain_tree", node_group_name="Wireframe")["lines"]
    assert client.call("history")["runs"][0]["status"] == "done"


def test_what_the_artist_allows_belongs_to_one_session(client: Client, programs: Programs) -> None:
    """Not to whoever takes its name or comes back, and not in another file."""
    asked: list[str] = []

    def reject() -> None:
        asked.extend(request for request, _ in session.current.pending)
        answering(False)()

    def makes(one: Client) -> bool:
        asked.clear()
        bpy.data.objects["Grid"].modifiers.clear()
        made = one.call("apply_preset", reject, preset="wireframe")
        assert (made.get("status") == "done") != (made.get("error", {}).get("code") == "user_rejected"), made
        assert bool(asked) == ("error" in made)
        return "error" not in made

    client.call("modifier_stack")
    mine = client.known
    programs.allowed.add(mine)
    twin = Client(programs).connect()
    assert makes(client)
    assert not makes(twin), "its name is free to take"
    twin.leave()
    programs.leave_file()
    assert not makes(client), "another file"
    programs.allowed.add(mine)
    assert makes(client)
    client.leave()
    client.session = ""
    assert not makes(client.connect()), "it has said goodbye"
    programs.pause(True)
    programs.revoke()
    assert programs.paused, "what the artist has said still holds"
    assert not programs.allowed
    again = Client(programs).connect()
    assert "paused" in again.call("modifier_stack")["error"]["message"]
    programs.pause(False)
    assert not makes(again)
    again.leave()
    bpy.data.objects["Grid"].modifiers.clear()


def test_a_change_that_nobody_waits_for_ends(client: Client, programs: Programs) -> None:
    count = len(bpy.data.objects["Grid"].modifiers)
    taken = client.call("apply_preset", lambda: session.current.pending and programs.take_over(), preset="wireframe")
    assert taken["error"]["code"] == "cancelled"
    assert "paused" in client.call("scene_summary")["error"]["message"]
    programs.pause(False)
    assert len(bpy.data.objects["Grid"].modifiers) == count


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": ""}, 401),
        ({"Origin": "http://127.0.0.1"}, 403),
        ({"Host": "evil.example"}, 403),
    ],
)
def test_strangers_are_refused(client: Client, headers: dict[str, str], status: int) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
    got, _, text = client.post(body, client.headers(**headers))
    assert got == status, text
    assert client.token not in text


def test_malformed_requests_change_nothing(client: Client) -> None:
    for body, number in ((b"{", -32700), (b"\xff", -32700), (b"[" * 9999, -32700), (b"[]", -32600), (b"7", -32600)):
        status, _, text = client.post(body, client.headers())
        assert (status, json.loads(text)["error"]["code"]) == (400, number), text
    for body, headers in ((b"{}", {"Content-Type": "text/plain"}), (b"{}", {"Accept": "text/html"})):
        known = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
        status, _, text = client.post(known, client.headers(**headers))
        assert json.loads(text)["error"]["message"], (body, status)
    assert client.call("modifier_stack", wrong=1)["error"]["code"] == "tool_validation_error"
    assert client.call("tree_load", path="x.json")["error"]["code"] == "no_project"
    assert client.call("apply_preset", preset="none of these")["error"]["code"] == "unknown_preset"
    assert client.ask("tools/call", {"name": "exec", "arguments": {}})["error"]["code"] == -32602
    try:
        assert client.post(b" " * (2 << 20), client.headers())[0] == 413
    except ConnectionError:
        pass  # closed while the program was still sending
    assert client.call("modifier_stack")["object"] == "Grid"


def framed(id: Any, method: str = "ping", params: Any = None) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params or {}}).encode()


def test_batches_and_odd_ids_execute_nothing(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[Any] = []
    monkeypatch.setitem(calls.READING, "modifier_stack", lambda given: done.append(given) or {"object": "Grid"})
    body = {"name": "modifier_stack", "arguments": {}}
    read = framed(1, "tools/call", body)
    wrong = [b"[" + read + b"]", b"[" + read + b"," + read + b"]", read + read]
    wrong += [framed(id, "tools/call", body) for id in (None, True, 1.5, 2**64, -(2**70), [1], {}, "x" * 201)]
    for sent in wrong:
        status, _, text = client.post(sent, client.headers())
        answer = json.loads(text)
        assert (status, answer["id"]) == (400, None), (sent[:80], text)
        assert answer["error"]["code"] in (-32600, -32700)
        assert answer["error"]["data"]["code"] in ("tool_validation_error", "invalid_json")
    assert not done
    for id in (0, -7, 2**53 + 1, "", "seven", "7"):
        status, _, text = client.post(framed(id, "tools/call", body), client.headers())
        said = [json.loads(line[5:]) for line in text.splitlines() if line.startswith("data:") and line[5:].strip()]
        assert (status, [one["id"] for one in said]) == (200, [id]), text
    assert len(done) == 6


def test_a_request_that_cannot_be_read_is_told_what_is_wrong_with_it(client: Client) -> None:
    read = {"name": "modifier_stack"}
    for method, params in (
        ("tools/call", {}),
        ("tools/call", {**read, "arguments": "{}"}),
        ("tools/call", {**read, "arguments": []}),
        ("resources/read", {"uri": 7}),
        ("prompts/get", {}),
    ):
        error = client.ask(method, params)["error"]
        assert (error["code"], method in error["message"]) == (-32602, True), error
    error = client.ask("tools/run", read)["error"]
    assert (error["code"], error["message"]) == (-32601, "This server has no method tools/run.")
    assert len(client.ask("x" * 5000)["error"]["message"]) < 200
    for body, id in (
        (b'{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}', 2),
        (b'{"jsonrpc": "2.0", "id": "a", "method": "ping", "params": "x"}', "a"),
        (b'{"jsonrpc": "2.0", "id": [1], "method": "ping"}', None),
    ):
        status, _, text = client.post(body, client.headers())
        answer = json.loads(text)
        assert (status, answer["id"], answer["error"]["code"]) == (400, id, -32600), "whoever waits for it hears of it"


def large_tree(name: str, count: int = 150) -> Any:
    tree = bpy.data.node_groups.new(name, "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    inside = bpy.data.node_groups.new(f"{name} Inside", "GeometryNodeTree")
    inside.nodes.new("GeometryNodeMeshCube")
    tree.nodes.new("GeometryNodeGroup").node_tree = inside
    last = tree.nodes.new("GeometryNodeMeshCube")
    for _ in range(count):
        node = tree.nodes.new("GeometryNodeSetPosition")
        tree.links.new(last.outputs[0], node.inputs[0])
        last = node
    tree.links.new(last.outputs[0], tree.nodes.new("NodeGroupOutput").inputs[0])
    return tree


def test_a_large_tree_is_read_in_steps_and_never_as_a_mixture(
    client: Client, programs: Programs, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = large_tree("Large")
    monkeypatch.setattr(export, "STEP_S", 0.0)
    ticks = itertools.count()

    def edit() -> None:
        number = next(ticks)
        if number < 12:
            tree.nodes["Set Position.149"].inputs["Offset"].default_value[0] = number
            tree.nodes["Set Position"].inputs["Offset"].default_value[0] = number
        if number == 12:
            tree.nodes.remove(tree.nodes["Set Position.100"])
            tree.links.remove(tree.links[3])

    try:
        read = client.call("tree_export", edit, node_group_name="Large")
        assert next(ticks) > 12, "Blender had its turns"
        assert read["document"] == json.loads(json.dumps(export.export_tree(tree)))
        page = client.call("tree_ir", node_group_name="Large")["tree"]
        assert "def large_inside" in page
        assert not client.call("tree_diff", before="Large", after="Large")["lines"]
        tree.nodes.remove(tree.nodes["Set Position.120"])
        told = client.call("apply_plan", plan=plan(PAGE))["error"]
        assert (told["code"], "Set Position.120" in told["message"]) == ("stale_base", True), told
        # Whoever is paused while it is compared does not begin.
        paused = client.call("apply_plan", lambda: programs.pause(True), plan=plan(PAGE))["error"]
        assert paused["code"] == "tool_busy"
        programs.pause(False)
        assert programs.writer is None
        # What another program of the same name has read meanwhile, this one does not know.
        assert client.call("tree_ir", node_group_name="Large")["tree"]
        tree.nodes.remove(tree.nodes["Set Position.110"])
        twin = Client(programs).connect()
        assert twin.call("tree_ir", node_group_name="Large")["tree"]
        twin.leave()
        told = client.call("apply_plan", plan=plan(PAGE))["error"]
        assert (told["code"], "Set Position.110" in told["message"]) == ("stale_base", True), told

        begun = itertools.count()

        def remove() -> None:
            if "Large" in bpy.data.node_groups and next(begun) > 8:
                bpy.data.node_groups.remove(bpy.data.node_groups["Large"])

        assert client.call("tree_export", remove, node_group_name="Large")["error"]["code"] == "unknown_node_group"
    finally:
        programs.pause(False)
        for name in ("Large", "Large Inside"):
            if name in bpy.data.node_groups:
                bpy.data.node_groups.remove(bpy.data.node_groups[name])


def test_a_scene_with_large_results_is_told_in_steps_and_each_tree_is_looked_at_once(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = large_tree("Large")
    ownership.assign_to_assistant(tree)
    bpy.ops.mesh.primitive_cube_add()
    cube, grid = bpy.data.objects["Cube"], bpy.data.objects["Grid"]
    for obj in (cube, grid):
        obj.modifiers.new("Large", "NODES").node_group = tree
    looks: list[Any] = []
    whose = context.whose
    monkeypatch.setattr(context, "whose", lambda tree, ir=None: looks.append(tree) or whose(tree, ir))
    monkeypatch.setattr(export, "STEP_S", 0.0)
    ticks = itertools.count()
    try:
        for as_left in (True, False):
            shown = {one["name"]: one for one in client.call("scene_summary", lambda: next(ticks))["objects"]}
            assert [shown[name]["modifiers"][0]["made"] for name in ("Cube", "Grid")] == [{"as_left": as_left}] * 2
            assert len(looks) == 1
            looks.clear()
            tree.nodes.remove(tree.nodes["Set Position.100" if as_left else "Set Position.101"])
        assert next(ticks) > 12, "Blender had its turns"
        context.capture_context()
        assert len(looks) == 1, "a run looks once, too"
    finally:
        bpy.data.objects.remove(cube)
        bpy.context.view_layer.objects.active = grid
        grid.modifiers.clear()
        for name in ("Large", "Large Inside"):
            bpy.data.node_groups.remove(bpy.data.node_groups[name])


def test_older_clients_get_no_empty_event(client: Client) -> None:
    """Some take it for a message and end: Gemini's, over HTTP."""
    for version, is_told in (("2025-03-26", False), ("2025-06-18", False), ("2025-11-25", True)):
        hello = framed(1, "initialize", {**HELLO, "protocolVersion": version})
        plain = {"Mcp-Session-Id": "", "MCP-Protocol-Version": ""}
        status, begun, text = client.post(hello, client.headers(**plain))
        assert (status, "data: \n" in text) == (200, is_told), text
        again = client.headers(**{"Mcp-Session-Id": begun, "MCP-Protocol-Version": version})
        ping = client.post(framed(2), again)[2]
        assert ("data: \n" in ping) == is_told, ping
        for said in (text, ping):
            assert "retry: " in said, "how soon to come back"
            messages = [line[6:] for line in said.splitlines() if line.startswith("data: ") and line[6:]]
            assert [json.loads(one)["jsonrpc"] for one in messages] == ["2.0"]


def test_programs_that_connect_anew_for_every_call_do_not_make_blender_grow(programs: Programs, client: Client) -> None:
    held = client.session
    others = [Client(programs).connect() for _ in range(70)]
    assert others[0].session != others[1].session
    known = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
    assert client.post(known, client.headers())[0] == 404, "the one that was silent for the longest time"
    assert others[0].post(known, others[0].headers())[0] == 404
    assert others[-1].call("modifier_stack")["object"] == "Grid"
    for other in others:
        other.leave()
    client.session = ""
    assert client.connect().session != held, "it begins anew, as the protocol has it"
    assert client.call("modifier_stack")["object"] == "Grid"


def test_of_two_requests_with_one_id_the_second_is_refused(client: Client, programs: Programs) -> None:
    """The protocol's library would mix up their answers, and one stream would never end."""
    twin = Client(programs)
    twin.session = client.session
    body = {"name": "apply_preset", "arguments": {"preset": "wireframe"}}
    first = framed("same", "tools/call", body)
    refused: list[Any] = []

    def again() -> None:
        if session.current.pending and not refused:
            refused.append(None)
            for sent in (first, framed("same")):
                status, _, text = twin.post(sent, twin.headers())
                refused.append((status, json.loads(text)["id"], "no answer yet" in text))
            assert twin.post(framed("other"), twin.headers())[0] == 200, "others go on"
            answering(False)()

    status, _, text = client.post(first, client.headers(), again)
    assert refused[1:] == [(400, None, True)] * 2
    assert status == 200
    assert "user_rejected" in text, "the first has its own answer"
    assert client.post(framed("same"), client.headers())[0] == 200, "the id is free again"


PAGE = 'def cones() -> Geometry:\n    x = cone()\n    return x\n\n\napply("Cones", object="Grid")\n'


def plan(page: str) -> dict[str, Any]:
    step = {"id": "s1", "type": "NODE_TREE", "description": "A cone", "payload": {"text": page}}
    return {"version": "1.2", "steps": [step], "done": True, "final_message": "A cone."}


def test_what_a_program_reads_is_short_and_in_words(client: Client) -> None:
    size = lambda answer: len(json.dumps(answer, ensure_ascii=False))  # noqa: E731
    assert size(client.call("list_presets")) < 20_000
    (scatter,) = client.call("list_presets", preset="Scatter")["presets"]
    assert {"count", "seed"} <= {one["name"] for one in scatter["parameters"]}
    assert "Did you mean scatter" in client.call("list_presets", preset="scater")["error"]["message"]
    bpy.data.objects["Grid"].modifiers.clear()
    made = client.call("apply_preset", answering(True), preset="Scatter", values={"count": 5})
    assert len(made["changes"]) == 21
    assert made["changes"][-1].startswith("… and ")
    (modifier,) = client.call("modifier_stack")["modifiers"]
    assert modifier["inputs"]["Count"] == 5
    shown = client.call("scene_summary")["objects"][0]["modifiers"][0]
    assert shown["made"] == {"as_left": True}
    runs = client.call("history")["runs"]
    assert len(runs) <= 20
    assert runs[0]["changes"] > 20, "their number"
    bpy.data.objects["Grid"].modifiers.clear()


@pytest.mark.parametrize("act", ["pause", "take_over", "revoke"])
def test_no_call_starts_once_the_artist_has_said_so(
    client: Client, programs: Programs, act: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program calls without end, in four connections, and the artist presses a button between two ticks."""
    started: list[float] = []
    answers: list[str] = []
    stop, numbers = threading.Event(), itertools.count(100)

    def reads(_arguments: Any) -> dict[str, Any]:
        started.append(time.monotonic())
        return {"object": "Grid", "modifiers": []}

    def flood() -> None:
        body = {"name": "modifier_stack", "arguments": {}}
        while not stop.is_set():
            message = {"jsonrpc": "2.0", "id": next(numbers), "method": "tools/call", "params": body}
            sent = json.dumps(message).encode()
            with contextlib.suppress(OSError, http.client.HTTPException):
                connection = http.client.HTTPConnection(client.address, timeout=20)
                connection.request("POST", client.path, sent, client.headers())
                answers.append(connection.getresponse().read().decode())
                connection.close()

    monkeypatch.setitem(calls.READING, "modifier_stack", reads)
    threads = [threading.Thread(target=flood) for _ in range(4)]
    for thread in threads:
        thread.start()

    def tick_until(enough: Callable[[], bool]) -> None:
        end = time.monotonic() + 20
        while not enough() and time.monotonic() < end:
            programs.tick()
            time.sleep(0.001)
        assert enough()

    try:
        tick_until(lambda: len(started) > 20)
        getattr(programs, act)(*([True] if act == "pause" else []))
        before, heard = len(started), len(answers)
        end = time.monotonic() + 0.3
        tick_until(lambda: time.monotonic() > end)
        assert len(started) == before, "not one"
        if act == "revoke":
            tick_until(lambda: len(answers) > heard + 20)
            assert "auth_failed" in answers[-1]
        else:
            programs.pause(False)
            tick_until(lambda: len(started) > before + 20)
    finally:
        programs.pause(False)
        stop.set()
        while any(thread.is_alive() for thread in threads):
            programs.tick()
            time.sleep(0.001)


def test_a_refused_plan_names_every_mistake_with_its_place_and_fix(client: Client) -> None:
    wrong = PAGE.replace("cone()", "cone(vertexes=5)").replace("return x", "return y")
    message = client.call("apply_plan", plan=plan(wrong))["error"]["message"]
    checked = client.call("check_plan", plan=plan(wrong))["messages"]
    assert len(checked) > 1
    for finding in checked:
        assert finding["path"] in message
        assert finding["message"] in message
        assert finding["hint"] in message
    assert "/steps" in client.call("apply_plan", plan={})["error"]["message"]
    assert len(client.call("apply_plan", plan=plan("x\n" * 500))["error"]["message"].splitlines()) <= 9


def test_a_check_says_what_applying_would_say(client: Client) -> None:
    bpy.ops.mesh.primitive_cube_add()
    bpy.data.objects["Grid"].modifiers.clear()
    try:
        assert client.call("apply_plan", answering(True), plan=plan(PAGE))["status"] == "done"
        edit = plan('with edit("Cones"):\n    x.vertices = 7\n')
        new = plan("def more() -> Geometry:\n    return cone()\n")
        for page, given in ((edit, {}), (edit, {"object": "Cube"}), (edit, {"object": "Grid"}), (new, {})):
            checked = client.call("check_plan", plan=page, **given)
            applied = client.call("apply_plan", answering(False), plan=page, **given)
            assert (applied["error"]["code"] == "user_rejected") == checked["ok"], (given, checked, applied)
        assert client.call("check_plan", plan=edit)["ok"], "the page for agents changes a tree without `apply`"
    finally:
        bpy.data.objects.remove(bpy.data.objects["Cube"])
        bpy.context.view_layer.objects.active = bpy.data.objects["Grid"]
        bpy.data.objects["Grid"].modifiers.clear()


def test_arguments_are_taken_as_they_are_meant(client: Client) -> None:
    assert client.call("modifier_stack", object_name=None)["object"] == "Grid"
    assert client.call("check_plan", plan=json.dumps(plan(PAGE)), object=None)["ok"]
    answer = client.ask("tools/call", {"name": "Scene-Summary", "arguments": {}})
    assert "scene_summary" in answer["error"]["message"]


def test_refusals_and_what_writes_are_recorded_without_their_arguments(programs: Programs, tmp_path: Path) -> None:
    # So many are recorded in a minute, by each server.
    programs.revoke()
    client = Client(programs).connect()
    core = native.core()
    log = tmp_path / "audit.jsonl"
    core.audit_start(str(log))
    try:
        client.call("modifier_stack")
        client.call("modifier_stack", wrong="secret words")
        client.call("apply_preset", answering(False), preset="wireframe")
        client.post(b"{}", client.headers(Authorization="Bearer wrong"))
        forged = 'x"}\n{"n":9,"kind":"approval","detail":{}}\n'
        client.ask("tools/call", {"name": forged, "arguments": {}})
        assert core.audit_flush(5.0)
        assert core.audit_state()["broken_at"] is None
        assert os.name != "posix" or log.stat().st_mode & 0o777 == 0o600
        text = log.read_text()
    finally:
        core.audit_stop()
    told = [entry["detail"] for entry in map(json.loads, text.splitlines()) if entry["kind"] == "program"]
    assert [(one["client"], one["tool"], one["code"]) for one in told] == [
        ("Test Program", "modifier_stack", "tool_validation_error"),
        ("Test Program", "apply_preset", "user_rejected"),
        ("", "", "auth_failed"),
        ("Test Program", forged, "unknown_tool"),
    ]
    assert [json.loads(line)["n"] for line in text.splitlines()] == [*range(1, len(text.splitlines()) + 1)]
    assert "secret words" not in text
    assert client.token not in text


def test_tools_that_scripts_add_are_offered_unless_they_write(programs: Programs) -> None:
    nothing = {"type": "object", "properties": {}, "additionalProperties": False}
    gives = {"type": "object", "properties": {"frames": {"type": "integer"}}, "required": ["frames"]}
    frames = {"frames": 250}
    for id, more in (("frames_left", {}), ("frames_asked", {"requires_approval": True}), ("erase", {"writes": True})):
        register_tool(id, "Frames of the shot.", nothing, gives, lambda _arguments: frames, **more)
    try:
        programs.revoke()
        client = Client(programs).connect()
        listed = {tool["name"] for tool in client.ask("tools/list")["result"]["tools"]}
        assert {"frames_left", "frames_asked"} <= listed
        assert "erase" not in listed
        assert client.call("frames_left") == frames
        assert client.call("frames_left", wrong=1)["error"]["code"] == "tool_validation_error"
        asked: list[str] = []

        def look() -> None:
            if programs.asked is not None:
                asked.append(programs.asked.text)
                programs.decide(len(asked) > 1)

        assert client.call("frames_asked", look)["error"]["code"] == "user_rejected"
        assert client.call("frames_asked", look) == frames
        assert "frames_asked" in asked[0]
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(frames, "frames", "many")
            assert client.call("frames_left")["error"]["code"] == "return_invalid"
    finally:
        for id in ("frames_left", "frames_asked", "erase"):
            unregister(id)
    assert client.call("frames_left")["error"]["code"] == "unknown_tool"
    programs.revoke()


def test_a_program_that_leaves_holds_nothing(client: Client, programs: Programs) -> None:
    """It ends its session while the artist is asked about its change."""
    leaving: list[threading.Thread] = []

    def leave() -> None:
        connection = http.client.HTTPConnection(client.address, timeout=20)
        connection.request("DELETE", client.path, headers=client.headers())
        gone.append(connection.getresponse().status)
        connection.close()

    def look() -> None:
        if session.current.pending and not leaving:
            leaving.append(threading.Thread(target=leave))
            leaving[0].start()

    gone: list[int] = []
    with contextlib.suppress(OSError, http.client.HTTPException, StopIteration):
        client.call("apply_preset", look, preset="wireframe")
    leaving[0].join(20)
    assert gone == [204]
    end = time.monotonic() + 20
    while programs.writer and time.monotonic() < end:
        programs.tick()
        session.current.poll()
        time.sleep(0.002)
    assert not programs.writer
    assert not session.current.pending
    assert not programs.clients(), "it is shown no longer"


def test_in_edit_mode_programs_read_and_a_change_ends_with_a_result_or_a_code(client: Client) -> None:
    bpy.data.objects["Grid"].modifiers.clear()
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        assert client.call("modifier_stack")["object"] == "Grid"
        found = client.call("geometry_stats")
        assert found["evaluated"] == {"bounds": None, "finite": True}
        assert "Edit Mode" in found["note"], "nobody takes it for empty"
        listed = {tool["name"]: tool["outputSchema"] for tool in client.ask("tools/list")["result"]["tools"]}
        assert found.keys() <= listed["geometry_stats"]["properties"].keys()
        made = client.call("apply_preset", answering(True), preset="wireframe")
        assert made.get("status") == "done" or made["error"]["code"] != "internal_error", made
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")


def test_a_command_finds_blender(client: Client, programs: Programs) -> None:
    started = json.loads(programs.command())["mcpServers"]["blender"]
    command = [started["command"], *started["args"], "--blender", str(os.getpid())]
    messages = [
        {"id": 1, "method": "initialize", "params": HELLO},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "how_to_plan", "arguments": {}}},
        {"id": 3, "method": "tools/call", "params": {"name": "modifier_stack", "arguments": {}}},
    ]
    sent = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as process:
        process.stdin.write(sent)
        process.stdin.flush()
        lines: list[str] = []
        reader = threading.Thread(target=lambda: lines.extend(process.stdout.readline() for _ in range(3)))
        reader.start()
        end = time.monotonic() + 30
        while reader.is_alive() and time.monotonic() < end:
            programs.tick()
            time.sleep(0.001)
        process.stdin.close()
        while process.poll() is None and time.monotonic() < end:
            time.sleep(0.001)
    assert all(one["name"] != "Test Program" for one in programs.clients()), "it has said goodbye"
    answers = {one["id"]: one["result"] for one in map(json.loads, lines)}
    assert answers[1]["serverInfo"]["name"] == "geonode-assistant"
    assert "def rock_field(" in answers[2]["structuredContent"]["guide"]
    assert answers[3]["structuredContent"]["object"] == "Grid"


def test_a_command_says_what_to_do_without_one_blender(programs: Programs, tmp_path: Path) -> None:
    with pytest.raises(stdio.Unavailable, match="switch on"):
        stdio.choose(tmp_path, None)
    known = json.loads((folders.own_folder() / "agents" / f"{os.getpid()}.json").read_text())
    for pid in (1, 2):
        (tmp_path / f"{pid}.json").write_text(json.dumps({**known, "pid": pid}))
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "far.json").write_text(json.dumps({**known, "url": "http://192.0.2.1:1/mcp"}))
    with pytest.raises(stdio.Unavailable, match="--blender 1: .*--blender 2: "):
        stdio.choose(tmp_path, None)
    assert stdio.choose(tmp_path, 2)["pid"] == 2
    with pytest.raises(stdio.Unavailable, match="is the process 3; .*--blender 1: .*--blender 2: "):
        stdio.choose(tmp_path, 3)


def test_a_command_goes_on_with_the_blender_that_was_started_since(programs: Programs, tmp_path: Path) -> None:
    first = Programs()
    file = tmp_path / "1.json"

    def says(one: Programs) -> None:
        access = json.loads(one.configuration())["mcpServers"]["blender"]
        token = access["headers"]["Authorization"].removeprefix("Bearer ")
        file.write_text(json.dumps({"pid": 1, "url": access["url"], "token": token, "about": "Blender"}))

    out = io.StringIO()

    def answered(count: int) -> bool:
        end = time.monotonic() + 20
        while len(out.getvalue().splitlines()) < count and time.monotonic() < end:
            time.sleep(0.005)
        return len(out.getvalue().splitlines()) == count

    def lines() -> Iterator[str]:
        guide = {"name": "how_to_plan", "arguments": {}}
        yield framed(1, "initialize", HELLO).decode()
        yield framed(2, "tools/call", guide).decode()
        assert answered(2)
        at = urlsplit(first.url)
        first.stop()
        with pytest.raises(ConnectionRefusedError):
            # On a busy machine it takes a moment.
            while True:
                with contextlib.suppress(ConnectionResetError):
                    socket.create_connection((at.hostname, at.port), 1).close()
                time.sleep(0.01)
        says(programs)
        yield framed(3, "tools/call", guide).decode()
        yield framed(4, "tools/call", guide).decode()
        assert answered(4)
        file.unlink()

    try:
        # As two processes, so that neither removes the other's file.
        own = folders.own_folder() / "agents" / f"{os.getpid()}.json"
        kept = own.read_text()
        first.start()
        says(first)
        stdio.Bridge(tmp_path, None, out).run(lines())
    finally:
        first.stop()
        own.write_text(kept)
        own.chmod(0o600)
    answers = {one["id"]: one for one in map(json.loads, out.getvalue().splitlines())}
    assert answers.keys() == {1, 2, 3, 4}
    for id in (2, 3, 4):
        assert "rock_field" in json.dumps(answers[id].get("result")), answers[id]


def test_a_command_answers_what_is_no_message(programs: Programs, tmp_path: Path) -> None:
    out = io.StringIO()
    stdio.Bridge(tmp_path, None, out).run(io.StringIO("{\n" + "[" * 100_000 + "\n\ufffd\n\n"))
    answers = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [(one["id"], one["error"]["code"]) for one in answers] == [(None, -32700)] * 3


def test_a_command_answers_whatever_becomes_of_blender(tmp_path: Path) -> None:
    """Also where Blender ends in the middle of an answer, says nothing, or something else listens there."""
    stream = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
    pieces = stream + b"Transfer-Encoding: chunked\r\n\r\n"
    says = [
        pieces + b"5\r\ndata",
        pieces + b"7\r\ndata: \n\r\n0\r\n\r\n",
        stream + b"\r\ndata: {\n\n",
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
        b"nothing of the kind\r\n\r\n",
        b"",
    ]
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        file = {"pid": 1, "url": f"http://127.0.0.1:{port}/mcp", "token": "t", "about": "Blender"}
        (tmp_path / "1.json").write_text(json.dumps(file))

        def speak() -> None:
            left = list(says)
            while left:
                connection, _ = listener.accept()
                with connection:
                    # A look whether somebody listens sends nothing.
                    if connection.recv(1 << 16):
                        connection.sendall(left.pop(0))

        speaking = threading.Thread(target=speak, daemon=True)
        speaking.start()
        out = io.StringIO()
        bridge = stdio.Bridge(tmp_path, None, out)
        bridge.run(io.StringIO("".join(framed(id).decode() + "\n" for id in range(len(says)))))
        speaking.join(10)
    answers = {one["id"]: one["error"] for one in map(json.loads, out.getvalue().splitlines())}
    assert answers.keys() == set(range(len(says)))
    assert all("Blender has ended" in one["message"] for one in answers.values()), answers


def test_a_command_says_what_is_too_long_and_is_silent_where_nobody_waits(programs: Programs, tmp_path: Path) -> None:
    access = json.loads(programs.configuration())["mcpServers"]["blender"]
    token = access["headers"]["Authorization"].removeprefix("Bearer ")
    file = {"pid": 1, "url": access["url"], "token": token, "about": "Blender"}
    (tmp_path / "1.json").write_text(json.dumps(file))
    out = io.StringIO()

    def lines() -> Iterator[str]:
        yield framed(1, "initialize", HELLO).decode()
        yield framed(2, "tools/call", {"name": "how_to_plan", "arguments": {"x": "y" * (2 << 20)}}).decode()
        yield framed(3, "tools/call", "x").decode()
        # Nobody ticks, so it waits until it is cancelled.
        yield framed(4, "tools/call", {"name": "modifier_stack", "arguments": {}}).decode()
        time.sleep(0.2)
        gone = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 4}}
        yield json.dumps(gone)
        time.sleep(0.2)

    stdio.Bridge(tmp_path, None, out).run(lines())
    answers = {one["id"]: one for one in map(json.loads, out.getvalue().splitlines())}
    assert answers.keys() == {1, 2, 3}
    assert answers[2]["error"] == {"code": -32600, "message": "A message has at most 1 MB."}
    assert answers[3]["error"]["code"] == -32600


def test_an_answer_that_is_no_json_is_an_error_and_the_next_call_works(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setitem(calls.READING, "modifier_stack", lambda _arguments: {"object": float("nan")})
        assert client.call("modifier_stack")["error"]["code"]
        patch.setitem(calls.READING, "modifier_stack", lambda _arguments: {"object": object()})
        assert client.call("modifier_stack")["error"]["code"]
    assert client.call("modifier_stack")["object"] == "Grid"


def test_the_interface_says_who_is_there(client: Client, programs: Programs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, "programs", programs)
    monkeypatch.setattr(operators, "programs", programs)
    geonode_assistant.register()
    try:
        shown: list[str] = []
        client.call("modifier_stack")
        agents.draw_programs(Layout(shown))
        assert any(line.startswith("Test Program: connected") for line in shown), shown
        shown.clear()
        agents.draw_preferences(Layout(shown), SimpleNamespace(bl_rna=Switch))
        assert any(programs.url in line for line in shown), shown
        assert not any("taken" in line for line in shown) or programs.elsewhere
        with monkeypatch.context() as patch:
            patch.setattr(server, "PORT", 1)
            shown.clear()
            agents.draw_preferences(Layout(shown), SimpleNamespace(bl_rna=Switch))
            assert any("is taken" in line for line in shown), shown
        who = Who(client.known, "Test Program")
        programs.asked = server.Asked(7, who, "write the tree “Rocks” to rocks.json", dict)
        shown.clear()
        agents.draw_programs(Layout(shown))
        assert "Test Program wants to" in shown
        assert "write the tree “Rocks” to rocks.json" in shown
        assert lines() == ["Test Program: asks"]
        # It was drawn before: the artist has not read what is asked now.
        assert bpy.ops.geonode.answer_program(accept=True, question=6) == {"CANCELLED"}
        assert programs.asked is not None
        bpy.ops.geonode.answer_program(accept=False, question=7)
        assert programs.asked is None
        bpy.ops.geonode.pause_programs()
        assert programs.paused
        bpy.ops.geonode.pause_programs()
        bpy.ops.geonode.allow_program(sessions=str(client.known))
        assert lines() == ["Test Program: connected, may make changes"]
        twins = [Client(programs).connect() for _ in range(2)]
        for twin in twins:
            twin.call("modifier_stack")
        assert lines() == ["Test Program: connected, may make changes", "Test Program (2): connected"]
        bpy.ops.geonode.allow_program(sessions=" ".join(map(str, agents.shown()[1].sessions)))
        assert lines() == ["Test Program (3): connected, may make changes"]
        bpy.ops.geonode.allow_program(sessions=" ".join(map(str, agents.shown()[0].sessions)))
        assert not programs.allowed
        for twin in twins:
            twin.leave()
        assert agents.tick() == agents.INTERVAL_S
    finally:
        monkeypatch.undo()
        geonode_assistant.unregister()
    assert client.call("modifier_stack")["object"] == "Grid"


def lines() -> list[str]:
    """Who is connected, as the sidebar says it."""
    return [one.line for one in agents.shown()]


class Switch:
    """The preference, as a layout looks it up."""

    properties = ("agents",)


def test_revoking_makes_the_token_worthless(client: Client, programs: Programs) -> None:
    old = client.token
    # A call that is open hears of it at once, instead of waiting for an answer that never comes.
    ended = client.call("apply_preset", lambda: session.current.pending and programs.revoke(), preset="wireframe")
    assert ended["error"]["code"] == "cancelled", ended
    assert not programs.writer
    fresh = Client(programs)
    assert fresh.token != old
    assert fresh.connect().call("modifier_stack")["object"] == "Grid"
    fresh.token = old
    with pytest.raises(AssertionError, match="auth_failed"):
        fresh.ask("tools/list")
