# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a model can be reached, in words a person can act on, and which servers run on this machine.

Both ask over the network, so both work on a thread of their own (``Check``) that a window polls; whoever may wait calls
``result``.
"""

from __future__ import annotations

import difflib
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from .. import native
from ..messages import failure
from . import choices, online

# Ports on which servers of language models usually listen.
LOCAL_PORTS = {"Ollama": 11434, "LM Studio": 1234, "llama.cpp": 8080, "vLLM": 8000}
# A server on this machine answers at once or not at all.
LOCAL_TIMEOUT_S = 1.0
# A model that is loaded for the first time takes a while.
TIMEOUT_S = 30.0
# The shortest question that every model can answer.
QUESTION = "Answer with the word: ready"
ANSWER_TOKENS = 64

HINTS = {
    "auth_missing": "Enter a key in the preferences, or set the variable before Blender starts.",
    "key_store_refused": "Unlock the key store, or set the environment variable before Blender starts.",
    "auth_failed": "Check that the key belongs to this provider, is not expired and may use this model.",
    "network": "Is the server running, and is the address right? It usually ends in /v1.",
    "timeout": "The server is reached but does not answer: it may still be loading the model. Try again in a minute.",
    "bad_response": "Something else listens at this address. The address of a model server usually ends in /v1.",
    "quota_exhausted": "Look at the account's balance and limits at the provider.",
    "rate_limited": "Wait a minute; the connection itself is fine.",
    "overloaded": "The provider is busy; try again later. The connection itself is fine.",
    "unknown_model": "Choose one of the models that the server offers.",
}


@dataclass(frozen=True)
class Outcome:
    """What a test of a connection found."""

    ok: bool
    code: str | None
    """Stable code of what is wrong; None when all is well."""
    text: str
    hint: str | None
    models: tuple[str, ...]
    """What the endpoint offers; empty when it does not say."""
    ms: float
    """Time that the endpoint took, in milliseconds."""


@dataclass(frozen=True)
class LocalServer:
    """A server of language models on this machine."""

    name: str
    base_url: str
    models: tuple[str, ...]


Result = TypeVar("Result")


class Check(Generic[Result]):
    """Work with native clients on a thread of its own. ``cancel`` ends it within a second."""

    def __init__(self, work: Callable[[], Result], clients: list[Any]) -> None:
        self._work = work
        self._clients = clients
        self._result: Result | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="geonode-connection", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._result = self._work()
        except BaseException as error:
            self._error = error

    @property
    def finished(self) -> bool:
        """Whether ``result`` returns at once."""
        return not self._thread.is_alive()

    def result(self) -> Result:
        """Waits for the end. Raises what the work raised."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value]

    def stop(self) -> None:
        """Ends what is in flight and returns at once. To be said again until ``finished``: the work may be between two
        calls.
        """
        for client in self._clients:
            client.cancel()

    def cancel(self) -> None:
        """Ends the work and waits for its thread, two seconds at most; a window uses ``stop``."""
        deadline = time.monotonic() + 2.0
        while self._thread.is_alive() and time.monotonic() < deadline:
            self.stop()
            self._thread.join(0.05)


def begin(
    provider: str | None = None,
    model: str | None = None,
    *,
    base_url: str | None = None,
    key_variable: str | None = None,
) -> Check[Outcome]:
    """Begins a test of a connection; what is left out comes from the preferences.

    Look at ``finished``, then take ``result()``. ``online_access_disabled`` as ``online.check`` says.
    """
    chosen = choices.choice(provider, model, base_url, key_variable)
    online.check(chosen.provider, chosen.base_url)
    return test(native.core(), chosen.provider, chosen.model, chosen.base_url, chosen.api_key)


def test(core: Any, provider: str, model: str | None, base_url: str | None, api_key: str | None) -> Check[Outcome]:
    """Begins a test: the list of models, then one short question. ``core`` is the module ``geonode_core``."""
    if provider == "offline":
        nothing = Outcome(True, None, "The offline planner needs no connection.", None, (), 0.0)
        return Check(lambda: nothing, [])
    try:
        client = core.Client(provider, model, base_url, api_key, timeout_s=TIMEOUT_S, max_retries=0)
    except Exception as error:
        refused = _refused(error, (), 0.0)
        return Check(lambda: refused, [])
    return Check(lambda: _ask(client, provider, model, base_url), [client])


def _ask(client: Any, provider: str, model: str | None, base_url: str | None) -> Outcome:
    started = time.monotonic()

    def took() -> float:
        return (time.monotonic() - started) * 1000

    offered: tuple[str, ...] = ()
    try:
        offered = tuple(entry["id"] for entry in client.models())
    except Exception as error:
        # Some endpoints have no list; whether they answer is what counts.
        if failure(error)["code"] not in ("bad_response", "unknown_model", "bad_request"):
            return _refused(error, offered, took())
    if model and offered and model not in offered and provider == "openai-compatible":
        near = difflib.get_close_matches(model, offered, 3, 0.4) or list(offered[:3])
        text = f"{base_url} answers, but does not offer the model “{model}”."
        return Outcome(False, "unknown_model", text, f"It offers {_listed(near, len(offered))}.", offered, took())
    try:
        reply = client.send([{"role": "user", "content": QUESTION}], max_tokens=ANSWER_TOKENS)
    except Exception as error:
        return _refused(error, offered, took())
    where = base_url or provider
    text = f"{where} answers as “{reply.model or model}” after {took() / 1000:.1f} s."
    return Outcome(True, None, text, None, offered, took())


def _refused(error: Exception, offered: tuple[str, ...], ms: float) -> Outcome:
    known = failure(error)
    return Outcome(False, known["code"], known["message"], HINTS.get(known["code"]), offered, ms)


def _listed(names: list[str], total: int) -> str:
    shown = ", ".join(f"“{name}”" for name in names)
    return shown if total <= len(names) else f"{shown} and {total - len(names)} more"


def find_local(core: Any, ports: dict[str, int] | None = None) -> Check[list[LocalServer]]:
    """Begins to look for servers on this machine's usual ports; they are asked all at once and get no key."""
    addresses = {name: f"http://127.0.0.1:{port}/v1" for name, port in (ports or LOCAL_PORTS).items()}
    clients = {
        name: core.Client("openai-compatible", None, url, timeout_s=LOCAL_TIMEOUT_S, max_retries=0, stored_key=False)
        for name, url in addresses.items()
    }

    def look(name: str) -> LocalServer | None:
        try:
            offered = tuple(entry["id"] for entry in clients[name].models())
        except Exception:
            # Nothing there, or something that is no model server.
            return None
        return LocalServer(name, addresses[name], offered)

    def look_everywhere() -> list[LocalServer]:
        with ThreadPoolExecutor(len(clients), "geonode-connection") as pool:
            return [found for found in pool.map(look, clients) if found is not None]

    return Check(look_everywhere, list(clients.values()))
