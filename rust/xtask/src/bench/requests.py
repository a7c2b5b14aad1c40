# SPDX-License-Identifier: GPL-3.0-or-later
"""Captures inside Blender what every dialect sends, for ``cargo xtask bench --tokens``.

Prints one JSON line for each request: ``{"case", "dialect", "body", "reply"}``. The server is on this machine; it
refuses, or answers with a prepared plan.
"""

import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import bpy
from geonode_assistant import api

PROMPT = "scatter 200 small spheres on the cube"
EDIT = "make the last move twice as long"

KEY = "NO_KEY_OF_ANYBODY"
os.environ[KEY] = "none-" + "at-all"

DIALECTS = {
    "openai": "gpt-6-astra",
    "openai-compatible": "some-model",
    "anthropic": "claude-opus-5",
    "gemini": "gemini-3-pro",
}


class Peer(BaseHTTPRequestHandler):
    """Keeps what is sent; refuses it unless there is a reply."""

    sent: list = []
    reads = None
    reply = None

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        models = [{"id": "some-model", "meta": {"n_ctx": self.reads}}] if self.reads else []
        self.answer(200, {"data": models})

    def do_POST(self):
        self.sent.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        if self.reply is None:
            self.answer(401, {"error": {"message": "kept", "type": "authentication_error"}})
        else:
            choice = {"index": 0, "message": {"content": self.reply}, "finish_reason": "stop"}
            self.answer(200, {"model": "some-model", "choices": [choice]})

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def capture(case, prompt, dialect, settings, reads=None, reply=None):
    """Runs a prompt against a server of its own, since what is learned of one is remembered."""
    peer = type("Kept", (Peer,), {"sent": [], "reads": reads, "reply": reply})
    server = ThreadingHTTPServer(("127.0.0.1", 0), peer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    report = api.run(
        prompt,
        provider=dialect,
        model=DIALECTS[dialect],
        base_url=f"http://127.0.0.1:{server.server_port}/v1",
        key_variable=KEY,
        approve="all",
        settings={"network_retries": 0, "stream": False, "retries": 0, **settings},
    )
    server.shutdown()
    if not peer.sent or (reply is not None and report.status != "done"):
        raise SystemExit(f"{case}, {dialect}: {report.messages}")
    for body in peer.sent:
        print(json.dumps({"case": case, "dialect": dialect, "body": body, "reply": reply}))


def chain(nodes):
    """A tree of so many nodes that move the active object, one after the other."""
    tree = bpy.data.node_groups.new("Chain", "GeometryNodeTree")
    for side in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=side, socket_type="NodeSocketGeometry")
    last = tree.nodes.new("NodeGroupInput").outputs[0]
    for number in range(nodes - 2):
        node = tree.nodes.new("GeometryNodeTransform")
        node.name = f"Move {number + 1}"
        node.inputs["Translation"].default_value = (0.0, 0.0, 0.1 * (number + 1))
        tree.links.new(last, node.inputs["Geometry"])
        last = node.outputs[0]
    tree.links.new(last, tree.nodes.new("NodeGroupOutput").inputs[0])
    bpy.context.object.modifiers.new("Chain", "NODES").node_group = tree


def edited(nodes):
    """The plan of the edit."""
    page = f'with edit("Chain"):\n    move_{nodes - 2}.translation = (0, 0, 5.6)\n'
    step = {"id": "s1", "type": "NODE_TREE", "description": "Doubles the last move", "payload": {"text": page}}
    words = "The last move is twice as long: 5.6 m."
    return json.dumps({"version": "1.2", "steps": [step], "done": True, "final_message": words})


def main():
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    for case, settings in {"scripts off": {"python": "off"}, "scripts on": {"python": "safe"}}.items():
        for dialect in DIALECTS:
            capture(case, PROMPT, dialect, settings)
    for reads in (8192, 4096):
        capture(f"a window of {reads}", PROMPT, "openai-compatible", {"python": "off"}, reads=reads)
    chain(30)
    capture("an edit in 30 nodes", EDIT, "openai-compatible", {"python": "off"}, reply=edited(30))


main()
sys.stdout.flush()
# Some builds of the bpy module hang while the interpreter shuts down.
os._exit(0)
