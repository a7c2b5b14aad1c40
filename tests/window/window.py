# SPDX-License-Identifier: GPL-3.0-or-later
"""A Blender with a window, controlled by a test: pointer, keys, text, queries, pictures."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any, TextIO

import picture

HERE = Path(__file__).parent
SIZE = (1280, 800)
# A place in the 3D View of the start-up file where nothing is.
BARE = (300, 200)
ADDON = "bl_ext.user_default.geonode_assistant"
# The longest wait for a condition, in seconds; generous, because the machine may be slow.
PATIENCE_S = 60.0
# Turns of the wheel by which a sidebar is searched: to its top, then down in steps of less than a page at double size.
SCROLLS = (-40, *[4] * 9)
KEYS = {" ": "SPACE", ",": "COMMA", ".": "PERIOD", "-": "MINUS"} | dict(
    zip("0123456789", "ZERO ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE".split(), strict=True)
)


def start(command: list[str], output: TextIO, **options: Any) -> subprocess.Popen:
    """Starts a program that ends with the tests, however they end."""
    tied = ctypes.CDLL(None, use_errno=True).prctl
    end_with_parent = 1  # PR_SET_PDEATHSIG
    return subprocess.Popen(
        command, stdout=output, stderr=output, preexec_fn=lambda: tied(end_with_parent, signal.SIGKILL), **options
    )


class Screen:
    """An X server without a monitor."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.frame_buffer = folder / "Xvfb_screen0"
        numbers, write = os.pipe()
        command = ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{SIZE[0]}x{SIZE[1]}x24"]
        command += ["-nolisten", "tcp", "-noreset", "-fbdir", str(folder)]
        with (folder / "log").open("w") as log:
            self.process = start(command, log, pass_fds=[write])
        os.close(write)
        with os.fdopen(numbers) as pipe:
            number = pipe.readline().strip()
        assert number, f"Xvfb did not start:\n{(folder / 'log').read_text()}"
        self.display = f":{number}"

    def close(self) -> None:
        """Ends the server."""
        self.process.terminate()
        self.process.wait(10)


class Window:
    """One Blender process. Pixels count from the window's lower left corner."""

    def __init__(self, screen: Screen, folder: Path, *, simulated: bool = True) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.screen = screen
        self.pictures = Path(os.environ["GEONODE_PICTURES"])
        self.output = folder / "output"
        self.pointer = BARE
        self._known_rows: dict[tuple[str, str], int] = {}
        self.files = folder
        address = folder / "agent"
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(address))
            listener.listen(1)
            listener.settimeout(1)
            command = ["blender", "--gpu-backend", "opengl", "--window-geometry", "0", "0", *map(str, SIZE)]
            command += ["--enable-event-simulate"] if simulated else []
            command += ["--python-exit-code", "9", "--python", str(HERE / "agent.py")]
            environment = os.environ | {"DISPLAY": screen.display, "GEONODE_AGENT": str(address)}
            with self.output.open("w") as output:
                self.process = start(command, output, env=environment)
            self.stream = self._accept(listener)

    def _accept(self, listener: socket.socket) -> Any:
        deadline = time.monotonic() + 2 * PATIENCE_S
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                continue
            connection.settimeout(PATIENCE_S)
            return connection.makefile("rwb")
        raise AssertionError(f"Blender did not start:\n{self.printed()}")

    # -- questions
    # ----------------------------------------------------------------------------------------------------------------

    def printed(self) -> str:
        """What Blender wrote to its terminal."""
        return self.output.read_text(errors="replace")

    def _request(self, request: dict[str, Any]) -> Any:
        try:
            self.stream.write(json.dumps(request).encode() + b"\n")
            self.stream.flush()
            line = self.stream.readline()
        except OSError as error:
            raise AssertionError(f"Blender does not answer ({error!r}) {request}:\n{self.printed()[-4000:]}") from None
        assert line, f"Blender ended ({self.process.poll()}) at {request}:\n{self.printed()[-4000:]}"
        reply = json.loads(line)
        assert "error" not in reply, reply.get("error")
        return reply["value"]

    def ask(self, expression: str) -> Any:
        """The value of a Python expression inside Blender (see ``agent.namespace``)."""
        return self._request({"eval": expression})

    def do(self, statements: str) -> None:
        """Runs Python statements inside Blender."""
        self._request({"exec": statements})

    def wait(self, expression: str, patience_s: float = PATIENCE_S) -> Any:
        """Waits until the expression is true, and returns its value."""
        deadline = time.monotonic() + patience_s
        while not (value := self.ask(expression)):
            if time.monotonic() > deadline:
                self.photograph("gave_up_waiting")
                shown = self.ask("(current.summary, current.activity, current.messages)")
                raise AssertionError(f"never true: {expression}\nsession: {shown}\n{self.printed()[-2000:]}")
            time.sleep(0.03)
        return value

    # -- input
    # ----------------------------------------------------------------------------------------------------------------

    def _events(self, *groups: list[dict[str, Any]]) -> None:
        """Sends groups of events, each handled in a separate turn of the main loop."""
        self._request({"events": groups})

    def move(self, x: int, y: int) -> None:
        """Moves the pointer; twice, since the first move only leaves the previous widget."""
        at = {"type": "MOUSEMOVE", "value": "NOTHING", "x": x, "y": y}
        self.pointer = (x, y)
        self._events([{**at, "x": x - 2}], [at])

    def click(self, x: int, y: int, button: str = "LEFTMOUSE") -> None:
        """Moves there and presses a button."""
        self.move(x, y)
        self._events(*([{"type": button, "value": value, "x": x, "y": y}] for value in ("PRESS", "RELEASE")))

    def key(self, kind: str, unicode: str | None = None, **held: bool) -> None:
        """Presses a key where the pointer is; ``held``: ``shift``, ``ctrl``, ``alt``."""
        self._events(self._press(kind, unicode, held))

    def _press(self, kind: str, unicode: str | None, held: dict[str, bool]) -> list[dict[str, Any]]:
        x, y = self.pointer
        press = {"type": kind, "value": "PRESS", "x": x, "y": y, **held}
        if unicode is not None:
            press["unicode"] = unicode
        return [press, {"type": kind, "value": "RELEASE", "x": x, "y": y, **held}]

    def write(self, text: str) -> None:
        """Types text; meant for an open text field."""
        events = []
        for character in text:
            kind = character.upper() if character.isascii() and character.isalpha() else KEYS.get(character, "A")
            events += self._press(kind, character, {"shift": character.isupper()})
        self._events(events)

    # -- places
    # ----------------------------------------------------------------------------------------------------------------

    def box(self, editor: str, region: str = "UI") -> tuple[int, int, int, int]:
        """``left, bottom, width, height`` of a region."""
        return tuple(self.ask(f"box({editor!r}, {region!r})"))

    def open_tab(self, editor: str = "VIEW_3D") -> None:
        """Opens our tab in the editor's sidebar."""
        self.wait(f"open_tab({editor!r})")
        self.settle()

    def settle(self) -> None:
        """Lets Blender draw pending changes."""
        self.move(*self.pointer)

    def find(self, what: str, editor: str = "VIEW_3D", across: float = 0.3) -> tuple[int, int]:
        """The position of the sidebar's widget that edits or calls ``what``, found by moving the pointer row by row; a
        sidebar that does not show it is scrolled, as an artist would."""
        left, bottom, width, height = self.box(editor)
        x, top = left + int(width * across), bottom + height
        rows = list(range(12, height, 11))
        known = self._known_rows.get((editor, what))
        seen = []
        for turns in (0, *SCROLLS):
            self.scroll(turns, editor)
            for row in rows if known is None or turns else [known, *rows]:
                self.move(x, top - row)
                here = self.ask(f"under_pointer({editor!r})")
                if what in here:
                    self._known_rows[editor, what] = row
                    return x, top - row
                seen.append(here)
        self.photograph("not_found")
        raise AssertionError(f"the sidebar of {editor} has no {what} at {across:.0%} of its width: {set(seen)}")

    # -- actions of an artist
    # ----------------------------------------------------------------------------------------------------------------

    def prompt(self, text: str, editor: str = "VIEW_3D") -> None:
        """Replaces the text of the prompt by typing."""
        self.click(*self.find(".prompt", editor))
        self.key("A", ctrl=True)
        self.write(text)
        self.key("RET")
        self.wait(f"bpy.context.window_manager.geonode_assistant.prompt == {text!r}")

    def send_prompt(self, text: str, editor: str = "VIEW_3D", until: str = "not current.running") -> None:
        """Types a prompt, presses Send, and waits until its run has ended (or ``until``)."""
        self.prompt(text, editor)
        self.press("geonode.send", editor)
        self.wait(until)
        # A widget under the pointer is not redrawn.
        self.move(*BARE)

    def press(self, operator: str, editor: str = "VIEW_3D", across: float = 0.3) -> None:
        """Clicks the button of an operator."""
        self.click(*self.find(operator, editor, across))

    def undo(self) -> None:
        """Ctrl+Z with the pointer over the 3D View."""
        self.move(*BARE)
        self.key("Z", ctrl=True)

    def redo(self) -> None:
        """Ctrl+Shift+Z with the pointer over the 3D View."""
        self.move(*BARE)
        self.key("Z", ctrl=True, shift=True)

    def scroll(self, turns: int, editor: str = "VIEW_3D") -> None:
        """Turns the wheel over the sidebar, downwards, or upwards with a negative number."""
        if not turns:
            return
        left, bottom, width, height = self.box(editor)
        self.move(left + width // 2, bottom + height // 2)
        for _ in range(abs(turns)):
            self.key("WHEELDOWNMOUSE" if turns > 0 else "WHEELUPMOUSE")

    def widen(self, width: int, editor: str = "VIEW_3D") -> None:
        """Drags the sidebar's edge until it is about this wide."""
        left, bottom, now, height = self.box(editor)
        y = bottom + height // 2
        self.move(left, y)
        self.move(left + 1, y)
        ends = {"x": left + now - width, "y": y}
        moves = [[{"type": "MOUSEMOVE", "value": "NOTHING", **ends}] for _ in range(3)]
        press = {"type": "LEFTMOUSE", "value": "PRESS", "x": left + 1, "y": y}
        self._events([press], *moves, [{"type": "LEFTMOUSE", "value": "RELEASE", **ends}])
        self.move(*BARE)
        assert abs(self.box(editor)[2] - width) < 12, self.box(editor)

    # -- pictures
    # ----------------------------------------------------------------------------------------------------------------

    def photograph(self, name: str) -> picture.Picture:
        """Takes a picture of the whole screen and saves it as ``name``.png."""
        shot = picture.of_screen(self.screen.frame_buffer)
        shot.save(self.pictures / f"{name}.png")
        return shot

    def close(self) -> None:
        """Ends Blender, by force: it must not ask whether to save."""
        self.stream.close()
        self.process.kill()
        self.process.wait(20)


class RealWindow(Window):
    """As ``Window``, but with X events like those of a mouse and a keyboard; ASCII only."""

    def __init__(self, screen: Screen, folder: Path) -> None:
        super().__init__(screen, folder, simulated=False)

    def _xdotool(self, *arguments: str) -> None:
        environment = os.environ | {"DISPLAY": self.screen.display}
        subprocess.run(["xdotool", *arguments], env=environment, check=True, timeout=PATIENCE_S)
        # Turns of the main loop in which Blender reads and handles what came.
        self._events([], [], [])

    def move(self, x: int, y: int) -> None:
        self.pointer = (x, y)
        for at in (x - 2, x):
            self._xdotool("mousemove", "--sync", str(at), str(SIZE[1] - y))

    def click(self, x: int, y: int, button: str = "LEFTMOUSE") -> None:
        self.move(x, y)
        for action in ("mousedown", "mouseup"):
            self._xdotool(action, "1" if button == "LEFTMOUSE" else "3")

    def key(self, kind: str, unicode: str | None = None, **held: bool) -> None:
        names = [name for name in ("ctrl", "shift", "alt") if held.get(name)]
        self._xdotool("key", "+".join([*names, {"RET": "Return"}.get(kind, kind.lower())]))

    def write(self, text: str) -> None:
        self._xdotool("type", "--delay", "20", text)
