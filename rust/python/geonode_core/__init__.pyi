# SPDX-License-Identifier: GPL-3.0-or-later
"""Types of the native core; stubtest holds them to the binary."""

from collections.abc import Callable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from types import CodeType
from typing import Any, Literal, TypedDict, final, type_check_only

__all__ = [
    "Cancelled",
    "Agents",
    "AuditLog",
    "Client",
    "ConnectionTest",
    "CoreError",
    "InternalError",
    "Namespaces",
    "PatchError",
    "PolicyError",
    "ProtocolError",
    "ProviderError",
    "Response",
    "Run",
    "Sealed",
    "ScriptTimeout",
    "Stream",
    "Walk",
    "__version__",
    "alarm_allow",
    "alarm_free",
    "alarm_ready",
    "audit_flush",
    "audit_renew",
    "audit_start",
    "audit_state",
    "audit_stop",
    "audit_trusted_script",
    "call_enclosed",
    "check_manifest",
    "check_preset",
    "check_script",
    "check_tree",
    "code_fix",
    "code_section",
    "compact",
    "conversation_turns",
    "diff",
    "effects",
    "elements_begin",
    "elements_end",
    "elements_look",
    "enclosed_function",
    "error_codes",
    "estimates",
    "fingerprint",
    "keep_key",
    "key_place",
    "known_models",
    "limits",
    "lints",
    "local_ports",
    "local_servers",
    "membrane",
    "nearest_presets",
    "pattern_is_quick",
    "preset_draft",
    "preset_plan",
    "preset_prompt",
    "presets",
    "read_compact",
    "reconcile",
    "properties_begin",
    "properties_end",
    "references_begin",
    "references_disown",
    "references_end",
    "references_forget",
    "references_grown",
    "references_held",
    "references_point",
    "register_action",
    "register_op",
    "register_tool",
    "remove_key",
    "reset_telemetry",
    "run_bounded",
    "sandbox_missing",
    "seal_this_process",
    "schema",
    "script_policy",
    "security_events",
    "settings",
    "shown_context",
    "sockets",
    "structures",
    "stack",
    "stays_local",
    "tools",
    "telemetry",
    "tree_text",
    "unfit_mesh",
    "unregister",
    "unregister_tool",
    "validate_plan",
    "version",
    "walks_begin",
    "walks_end",
    "walks_passing",
    "walks_settle",
]

__version__: str

@type_check_only
class Turn(TypedDict):
    """What `Run.poll` gives; effects and events are described in rust/run/EFFECTS.md."""

    state: Literal["idle", "generating", "requesting_context", "applying", "verifying", "done", "error", "cancelled"]
    summary: Literal["IDLE", "PLANNING", "VALIDATING", "EXECUTING", "DONE", "ERROR", "CANCELLED"]
    effects: list[dict[str, Any]]
    events: list[dict[str, Any]]
    finished: bool

class CoreError(Exception):
    """Anything that went wrong in the core. Decide by `code`, never by the text."""

    code: str
    message: str
    retryable: bool
    details: dict[str, str]
    def __init__(
        self, code: str, message: str, retryable: bool = False, details: dict[str, str] | None = None
    ) -> None: ...

class ProtocolError(CoreError):
    """What was given does not have its form."""

class PolicyError(CoreError):
    """A safety rule forbids it."""

class PatchError(CoreError):
    """A plan cannot be compiled against the present state."""

class ProviderError(CoreError):
    """The language model's provider failed or refused."""

class ScriptTimeout(CoreError):
    """A script took longer than it may."""

class Cancelled(CoreError):
    """The call was cancelled."""

class InternalError(CoreError):
    """A defect of the core; the trace is in the local log only."""

@final
class Sealed:
    """A process that reaches nothing but what it was given: no network, no other program, no file beyond a list, no
    write outside of one folder. It ends with this process."""

    @staticmethod
    def start(
        command: list[str],
        *,
        environment: dict[str, str],
        folder: str | PathLike[str],
        output: str,
        readable: list[str],
        cpu_seconds: int,
        file_mb: int,
    ) -> Sealed:
        """Begins one and returns at once.

        ``command``: the program, an absolute path, and its arguments. ``environment``: all of it. ``folder``: the one
        that it may write to, with the file ``output`` for what it prints. ``readable``: files and folders that it may
        read besides the libraries of the system. Limits: seconds of processor time over all cores, megabytes of one
        file. ``PolicyError`` (``sandbox_unavailable``) where the system has no sandbox.
        """

    @property
    def pid(self) -> int | None:
        """Its process ID while it runs."""

    def poll(self) -> int | None:
        """Its exit status once it is over, the negative number of the signal that ended it, None before; never waits.

        ``PolicyError`` (``sandbox_unavailable``) when it could not be started.
        """

    def kill(self) -> None:
        """Ends it; never waits."""

@final
class Run:
    """One run, driven by the host: poll it, do what its effects say, answer (rust/run/EFFECTS.md)."""

    def __new__(cls, request: dict[str, Any]) -> Run:
        """Starts a run. What an artist gets wrong is reported; what a program gets wrong raises `ProtocolError`."""

    @staticmethod
    def resume(saved: dict[str, Any] | str, overrides: dict[str, Any] | None = None) -> Run:
        """Takes up a run that `save` gave, in this process.

        `overrides` (`api_key, approve, base_url, catalogue, folder, python`) are set anew; a key always has to be.
        `ProtocolError` (`saved_run_invalid`) for what is damaged or of another version.
        """

    def save(self) -> dict[str, Any]:
        """The run as it is now, as JSON-able data for `resume` in another process; it holds no key. Never blocks."""

    def poll(self) -> Turn:
        """What is new. Never blocks."""

    def wait(self, ms: int) -> bool:
        """Waits at most `ms` milliseconds, without the GIL, until `poll` has something new; says whether it has."""

    def answer(self, effect_id: str | int, result: dict[str, Any], ms: float | None = None) -> None:
        """The host did what the effect asks, in `ms` milliseconds if it measured them."""

    def fail(self, effect_id: str | int, error: dict[str, Any]) -> None:
        """The host could not do what the effect asks; `error` is `{"code", "message"}`."""

    def cancel(self) -> None:
        """Ends the run: what is in flight stops within a second, what was written is restored in the next polls."""

    def approve(self, effect_id: str | int, without: list[str] = ...) -> None:
        """The artist agrees to what the effect `ask_approval` describes, without the steps and operations with these
        IDs."""

    def reject(self, effect_id: str | int, words: str | None = None) -> None:
        """The artist refuses; nothing is written. Without words the run ends, with them the next turn begins."""

    def dry_run(self, effect_id: str | int, without: list[str] = ...) -> None:
        """The artist wants the plan of the effect `ask_approval`, without these IDs, tried in another process first."""

    def messages(self) -> list[dict[str, Any]]:
        """All messages so far, the gravest first."""

    def note(self, code: str, text: str) -> None:
        """Adds an error of the driver's own to the messages of the run; an unknown code becomes `unknown`."""

    def report(self) -> dict[str, Any]:
        """The RunReport so far; complete once `poll` said `finished`."""

@final
class Response:
    """A whole reply."""

    @property
    def text(self) -> str:
        """What the model wrote."""

    @property
    def tool_calls(self) -> list[dict[str, Any]]:
        """Calls that it wants made: `id`, `name`, `arguments`."""

    @property
    def finish_reason(self) -> str:
        """`done`, `truncated`, `tool`, `refused` or `other:<raw>`."""

    @property
    def usage(self) -> dict[str, int | None] | None:
        """Tokens, or None when the provider reports nothing."""

    @property
    def model(self) -> str:
        """The model that answered."""

    @property
    def request_id(self) -> str | None:
        """The provider's identifier of the exchange."""

    @property
    def notices(self) -> list[dict[str, str]]:
        """What went differently than asked: `code`, `text`."""

@final
class Stream:
    """The events of one streamed reply; the last one has the type `end`. Dropping it closes the connection."""

    def __iter__(self) -> Iterator[dict[str, Any]]: ...
    def __next__(self) -> dict[str, Any]: ...

@final
class Client:
    """Speaks to one endpoint; may be used from several threads. Times are in seconds."""

    def __new__(
        cls,
        provider: str,
        model: str | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout_s: float = 120.0,
        max_retries: int = 2,
        *,
        local_timeout_s: float | None = None,
        stored_key: bool = True,
    ) -> Client:
        """Checks the settings; sends nothing. A server on this computer has `local_timeout_s` (600 s) to begin its
        answer; if only `timeout_s` is changed, that holds there too. Without a key the first call looks for the one
        that is stored for this provider and address (`keep_key`), unless `stored_key` is False.
        """

    def send(
        self,
        messages: list[dict[str, Any]],
        system: str | None = None,
        schema: dict[str, Any] | None = None,
        tools: list[dict[str, Any]] | None = None,
        max_tokens: int | None = None,
        options: dict[str, Any] | None = None,
    ) -> Response:
        """Asks and waits for the whole reply, without the GIL."""

    def stream(
        self,
        messages: list[dict[str, Any]],
        system: str | None = None,
        schema: dict[str, Any] | None = None,
        tools: list[dict[str, Any]] | None = None,
        max_tokens: int | None = None,
        options: dict[str, Any] | None = None,
    ) -> Stream:
        """Asks; an iterator of events."""

    def models(self) -> list[dict[str, Any]]:
        """The models that the endpoint offers: `id`, `context_tokens`."""

    def cancel(self) -> None:
        """Ends every call in flight on this client within a second, from any thread; they raise `Cancelled`."""

@final
class ConnectionTest:
    """Whether a model can be reached, in words a person can act on. May be used from several threads."""

    def __new__(
        cls, provider: str, model: str | None = None, base_url: str | None = None, api_key: str | None = None
    ) -> ConnectionTest:
        """Prepares a test; sends nothing. What cannot work is part of the outcome."""

    def run(self) -> dict[str, Any]:
        """Asks for the list of models, then one short question, without the GIL: `ok`, `code`, `text`, `hint`,
        `models`, `ms`. Takes a minute at most.
        """

    def cancel(self) -> None:
        """Ends what is in flight within a second; to be called again until `run` returns, which may be between two
        calls.
        """

def local_ports() -> dict[str, int]:
    """Ports on which servers of language models usually listen, by name."""

def local_servers(ports: dict[str, int] | None = None) -> list[dict[str, Any]]:
    """Servers of language models that answer on these ports of this machine (by default the usual ones): `name`,
    `base_url`, `models`. They get no key; it takes about a second at most, without the GIL.
    """

def stays_local(provider: str, base_url: str | None = None) -> bool:
    """Whether a provider at this address never leaves this machine."""

@final
class Agents:
    """Serves other programs on loopback (Model Context Protocol) until `stop`. Its calls never wait for a client."""

    def __new__(
        cls,
        catalogue: str,
        folder: str | PathLike[str],
        port: int,
        instructions: str,
        about: str,
        library: Mapping[str, Any],
    ) -> Agents:
        """Starts the server. `catalogue` is the path of this Blender's nodes, `folder` the one in which clients look
        for it, `port` the wanted one (0, or one that is taken: a free one), `instructions` are for clients, `about`
        says which Blender it is, `library` is what they can read: `pages` and `sayings`.
        """

    @property
    def url(self) -> str:
        """Address that clients connect to."""

    @property
    def socket(self) -> str:
        """Address for clients that use a WebSocket."""

    @property
    def token(self) -> str:
        """What clients present; never shown or logged."""

    @property
    def file(self) -> Path:
        """The file, readable by its owner alone, in which programs find both."""

    def take(self) -> dict[str, Any] | None:
        """The next call for Blender's main thread, `id, client, tool, arguments`, or None. Never blocks."""

    def wanted(self, id: int) -> bool:
        """Whether the client of a call that was taken still waits for its answer."""

    def answer(self, id: int, result: Mapping[str, Any]) -> bool:
        """Answers a call with `ok, result?, error?` (`code, message`) and `ms?`; whether its client still waited."""

    def tell(self, id: int, stage: str) -> None:
        """Says to the client of a call that was taken how far it is."""

    def pause(self, paused: bool) -> None:
        """Lets no further call start, or goes on."""

    def clients(self) -> list[dict[str, Any]]:
        """The programs of the last minutes: `name, calls, open, idle_s`."""

    def stop(self) -> None:
        """Ends all connections at once and makes the token worthless."""

@final
class AuditLog:
    """An append-only log whose entries are chained by their hashes. May be used from several threads and processes."""

    def __new__(cls, path: str | PathLike[str]) -> AuditLog:
        """Opens the log, or makes it, and verifies the whole chain; a broken one opens too."""

    def append(self, kind: str, detail: Any) -> dict[str, Any]:
        """Adds an entry (JSON-able detail, never a secret); `PolicyError` `audit_broken` once the chain is broken."""

    def verify(self) -> dict[str, Any]:
        """Verifies the whole chain again: `entries`, `broken_at` (line, from 1, or None), `why`."""

def audit_start(path: str | PathLike[str] | None = None) -> Path:
    """Records from now on what is sent, asked, allowed and refused into the log at `path`, or at its usual place in the
    person's configuration folder. Returns the path. A thread of its own writes; nothing else waits for it.
    """

def audit_stop() -> None:
    """Records nothing any more."""

def audit_flush(seconds: float = 1.0) -> bool:
    """Waits until what was recorded is on the disk, at most so many seconds; whether it is."""

def audit_state() -> dict[str, Any] | None:
    """Where the log lies and what a verification of all of it says: `path`, `entries`, `broken_at` (a line or None),
    `why`. None when nothing is recorded. Reads the whole log: not for Blender's main thread.
    """

def audit_trusted_script(code: str) -> None:
    """Records that a script is about to run without the rules of safe mode; the log keeps its hash and length."""

def audit_renew() -> Path | None:
    """Sets the present log aside, whole or broken, and begins a new one. Returns where the old one lies now, if any."""

def validate_plan(
    text: str | dict[str, Any],
    catalogue: str | PathLike[str] | dict[str, Any] | None = None,
    document: str | dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Checks a plan against the protocol; with a catalogue (path, JSON, dict) against that Blender's nodes, and with a
    document (what the effect ``inspect`` answers) against the trees of a file."""

def check_script(source: str, blender: str = "5.2") -> dict[str, Any]:
    """Judges a Python step for safe mode in this Blender version: ``ok``, ``findings`` and ``asks`` (what removes
    data), each with ``code, rule, line, column, text, hint``; and ``rewritten``, where the text that must run is not
    the given one."""

def pattern_is_quick(pattern: str) -> bool:
    """Whether matching a pattern of ``re`` takes a time that a watchdog can wait for."""

def script_policy(blender: str = "5.2") -> dict[str, Any]:
    """What safe mode allows in this Blender version: ``builtins, called_only, attributes, dunder_read, underscored,
    methods, modules`` (members by module), ``operators, node_types, bounds`` (largest values by name), ``items``
    (what may be made at once), ``integer_bits``, ``width_digits`` (of a format)."""

def unfit_mesh(text: str) -> str | None:
    """Why the mesh of a record, as JSON, may not be written into a mesh of Blender; None if it may."""

def run_bounded(
    code: CodeType,
    namespace: dict[str, Any],
    timeout_ms: int,
    memory_mb: int = 2048,
    block_mb: int = 640,
    alarmed: bool = False,
) -> None:
    """Executes compiled code on the main thread and stops it with ``ScriptTimeout`` (``script_timeout``,
    ``script_memory``) after ``timeout_ms``, or when the process has grown by ``memory_mb``. One block of Python's
    memory may have ``block_mb``; larger ones are a ``MemoryError``. With ``alarmed`` an audit event of the interpreter
    that no script needs stops it with ``PolicyError`` (``script_breach``, ``details["event"]``); where code could not
    be stopped on this system, none runs (``script_unbounded``). Exceptions of the code pass through."""

def sandbox_missing() -> str | None:
    """Why processes cannot be sealed on this system; None: they can."""

def seal_this_process(megabytes: int) -> None:
    """Seals this process, which ``Sealed.start`` began, for good and with all of its threads: from here on it opens no
    socket, starts nothing, signals nobody, and its address space grows by ``megabytes`` at most. ``PolicyError``
    (``sandbox_unavailable``) when that does not hold; nothing that others wrote may run then."""

def alarm_ready() -> bool:
    """Whether this Python tells what a script does (PEP 578); without that safe mode is off."""

def alarm_allow(event: str, code: CodeType, under: CodeType | None = None) -> None:
    """Lets a function of a library raise an event while a script runs, where the function ``under`` called it. Not
    possible while one runs."""

def membrane(decide: Callable[..., int], handle: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    """The guards of one script: ``load``, ``item``, ``store``, ``store_item``, ``call``, ``at``, ``inside``;
    ``forget()`` lets reading be decided anew. ``decide(kind, x, name)`` says what is allowed or raises;
    ``handle(kind, x, name, value)`` does what was answered with 2. Not possible while a script runs."""

def enclosed_function(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The function of a module as scripts get it: none of their code runs during its calls, and it gets lists instead
    of their iterators."""

def call_enclosed(function: Callable[..., Any], /, *args: Any, **names: Any) -> Any:
    """Calls a function so that no code of the script runs until it returns; iterators become lists."""

def properties_begin(types: list[type]) -> None:
    """Begins to refuse a script the use of Blender's own objects for lists and groups in custom properties."""

def properties_end() -> None:
    """Ends what ``properties_begin`` began."""

def references_begin(
    pointing: tuple[type, type, type],
    untracked: list[type],
    math: list[type],
    bmesh: list[type],
    views: list[type],
    properties: list[type],
    sample: tuple[Any, int, int],
    context: Any,
    shared: list[int],
) -> bool:
    """Begins to watch what the objects of a script point to: ``bpy_struct``, what vectors of properties ask, and
    ``bpy.types.ID``, then types of untracked objects, of mathutils, of bmesh, of its views, and of custom properties;
    a data-block with its address and that of its type; ``bpy.context``; the addresses of RNA's descriptions of
    elements of arrays that data-blocks share. False if Blender has these elsewhere."""

def references_disown() -> None:
    """Takes from ``bpy.context`` the scene that it keeps as its own data-block; for when Blender freed something."""

def references_end() -> None:
    """Ends what ``references_begin`` began."""

def references_held(only: int | None = None, arrays: bool = False) -> list[tuple[Any, int, int, int]]:
    """The objects of the script that point into data-blocks (not to one, of which Blender tells), with the addresses of
    the block, the type and the data; with an address, those that point into this block, and with ``arrays`` those to
    elements of arrays that data-blocks share. Walks through lists there are settled first."""

def references_point(object: Any, data: int) -> None:
    """Lets such an object point to the same element of its array, which is at another address now."""

def references_grown(object: Any, name: str) -> None:
    """Remembers until the next ``references_disown`` that a property of a mesh's elements has made its attribute."""

def references_forget(objects: list[Any]) -> None:
    """Makes such objects raise ``ReferenceError``."""

def elements_begin(
    mesh: type, parts: list[type], of_elements: list[type], elements: list[type], sample: tuple[Any, Any]
) -> bool:
    """Begins to look at the parts of meshes whenever they are used: ``BMesh``, the types of its parts (lists, layers),
    those of them that may be lists of an element, and the types of elements; a mesh with one of its lists. A part whose
    mesh or element is gone raises ``ReferenceError``; a loop leaves out what is gone. False if objects of bmesh are
    made in another way."""

def elements_look(object: Any) -> None:
    """Looks at an object of bmesh before it is used: a mesh is known from then on, and a part that is gone raises."""

def elements_end() -> None:
    """Ends what ``elements_begin`` began."""

def walks_begin(structs: type, lists: list[type], graph: int) -> None:
    """Begins to replace the iterators of Blender's lists: ``bpy_struct``, the types of the lists, the address of the
    description of a depsgraph."""

def walks_end() -> None:
    """Ends what ``walks_begin`` began."""

def walks_passing(object: Any) -> None:
    """Remembers what an instance of a depsgraph shows only until the next step of the walk through them."""

def walks_settle(evaluates: bool) -> None:
    """Lets walks through Blender's lists go on without Blender's iterators, before items may be freed or moved;
    ``evaluates``: Blender is about to evaluate, which ends walks through a depsgraph."""

@final
class Walk:
    """A walk through a list of Blender's, in which a script may remove what comes next."""

    def __iter__(self) -> Walk: ...
    def __next__(self) -> Any: ...

def alarm_free(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function without an alarm, for what a script may call of ours. Not possible while a script runs."""

@final
class Namespaces:
    """The names of modules and classes, as they were when ``keep`` was last called."""

    def __new__(cls, owners: list[Any]) -> Namespaces: ...
    def keep(self) -> None:
        """Keeps the names that there are now."""
    def put_back(self) -> list[str]:
        """What is otherwise than it was, as ``module.name``; it is put back."""

def reconcile(
    current_ir: str | dict[str, Any],
    plan: str | dict[str, Any],
    catalogue: str | PathLike[str] | dict[str, Any],
) -> dict[str, Any]:
    """Compiles a plan against exported trees without Blender: `ok`, `messages`, `plan`, `steps`, `diff`, `trees`."""

def conversation_turns(folder: str | PathLike[str], name: str) -> int | None:
    """How many turns a kept conversation has; None where there is no such conversation, or it is damaged."""

def check_manifest(text: str) -> list[dict[str, Any]]:
    """What is wrong with the text of an end-to-end manifest: findings as of a plan; none when it is right."""

def check_tree(tree: str | dict[str, Any]) -> None:
    """Checks that a tree document (a Bundle) has its form; `ProtocolError` says what is wrong."""

def diff(
    a: str | dict[str, Any],
    b: str | dict[str, Any],
    catalogue: str | PathLike[str] | dict[str, Any] | None = None,
) -> list[str]:
    """The changes from tree document `a` to `b` in plain words; a catalogue gives names and units."""

def compact(tree: str | dict[str, Any], catalogue: str | PathLike[str] | dict[str, Any]) -> str:
    """The compact form of a tree document (a Bundle), as a model sees it."""

def read_compact(text: str, catalogue: str | PathLike[str] | dict[str, Any]) -> dict[str, Any]:
    """The trees of a compact form by name, without what it leaves out (places, frames, values of linked inputs)."""

def tree_text(
    tree: str | dict[str, Any], catalogue: str | PathLike[str] | dict[str, Any], *, full: bool = False
) -> dict[str, Any]:
    """The page of a tree document (a Bundle), `full` with places and looks: `{"text", "losses": [TEXT…]}`.

    Losses are what the page cannot say; it has them as comments.
    """

def presets(own: str | list[dict[str, str]]) -> dict[str, Any]:
    """All presets, those that ship first, then the user's (`[{"name", "text"}…]`), and which of those files are none:
    `{"presets": [PRESET…], "unfit": [{"file", "code", "message"}]}`.
    """

def check_preset(name: str, text: str, catalogue: str | PathLike[str] | dict[str, Any]) -> dict[str, Any]:
    """What the file of a preset holds, after a strict check; `preset_invalid` names the field that is wrong."""

def preset_draft(
    tree: str | dict[str, Any], catalogue: str | PathLike[str] | dict[str, Any], head: str | dict[str, Any]
) -> dict[str, Any]:
    """A tree document (a Bundle) as the file of a preset: `{"id", "text", "losses": [TEXT…]}`.

    `head`: `{"title", "description"?, "example"?, "words"?, "metres"?}`, where metres are those of a unit.
    """

def preset_plan(wanted: str | dict[str, Any], context: str | dict[str, Any]) -> dict[str, Any]:
    """The plan that applies a preset: `wanted` is `{"id", "values"?, "presets"?}`, `presets` being the user's files."""

def sockets(
    tree: str | dict[str, Any], catalogue: str | PathLike[str] | dict[str, Any]
) -> dict[str, dict[str, dict[str, list[list[str]]]]]:
    """The available sockets of every node: `{tree: {node: {"inputs"|"outputs": [[identifier, name, type]…]}}}`."""

def structures(
    tree: str | dict[str, Any], catalogue: str | PathLike[str] | dict[str, Any]
) -> dict[str, dict[str, dict[str, dict[str, str]]]]:
    """What each socket of every tree holds: `{tree: {node: {"inputs"|"outputs": {identifier: STRUCTURE}}}}`, as in
    Blender's `inferred_structure_type`.
    """

def schema(name: str) -> dict[str, Any]:
    """The JSON Schema of this name; `ProtocolError` lists the names when there is none."""

def register_op(
    name: str, schema: dict[str, Any], expand: Callable[[str, dict[str, Any]], list[dict[str, Any]]]
) -> None:
    """Adds an operation to both step types; ``expand(action_type, fields)`` returns the operations it stands for."""

def register_action(action_type: str, schema: dict[str, Any], requires_approval: bool = False) -> None:
    """Adds a step type, whose steps the host carries out (effect ``execute_step``)."""

def unregister(name: str) -> bool:
    """Takes an operation or a step type away again; whether it was there."""

def register_tool(tool: dict[str, Any]) -> None:
    """Adds a tool that the host carries out (effect ``call_tools``): ``id, description, input_schema, output_schema,
    timeout_s``, and what differs of ``pure, writes, requires_approval``."""

def unregister_tool(id: str) -> bool:
    """Takes a tool of a script away again; whether it was there."""

def tools() -> list[dict[str, Any]]:
    """Every tool, step type and operation beyond the protocol, each with ``kind``, ``id``, ``description``, schemas."""

def shown_context(
    context: str | dict[str, Any],
    document: str | dict[str, Any],
    catalogue: str | PathLike[str] | dict[str, Any],
    budget_tokens: int,
    slices: str | list[dict[str, Any]],
) -> dict[str, Any]:
    """What a model would see of a context within a budget of tokens, with the slices asked for and a hash."""

def effects() -> list[dict[str, Any]]:
    """The table of what nodes act on: `node`, `input`, `mode`, `acts_on`, `deep` of each row."""

def error_codes() -> list[str]:
    """Every code of the product, in the order of the registry."""

def code_fix(code: str) -> str | None:
    """What to do about a code, in one line; None for a text that is no code of the registry."""

def code_section(code: str) -> str | None:
    """The part of the product that a code belongs to, such as `preflight`; None for a text that is no code of the
    registry.
    """

def limits() -> dict[str, int]:
    """Sizes that core and host both keep to: `name_bytes`, `nested` (groups or frames), `tree_bytes`."""

def estimates(
    document: str | dict[str, Any], catalogue: str | PathLike[str] | dict[str, Any]
) -> dict[str, dict[str, Any]]:
    """What the modifiers of each object of a document are expected to make and take, without evaluating anything."""

def stack(stack: dict[str, Any]) -> dict[str, Any]:
    """What multiplying modifiers make by their numbers, to the first that is too much: `{"elements", "excessive"}`.

    `stack` is `{"elements", "extent", "modifiers": [{"type", …}]}`, named as Blender does; a remesh needs `extent`.
    """

def key_place(provider: str, base_url: str | None = None, variable: str | None = None) -> dict[str, Any] | None:
    """Where the key of a provider at this address comes from, without reading it.

    None, `{"place": "environment", "variable"}`, `{"place": "system", "name"}` or `{"place": "file", "path"}`. May wait
    for the key store: not for Blender's main thread.
    """

def keep_key(provider: str, key: str, base_url: str | None = None) -> dict[str, Any]:
    """Keeps a key for a provider at this address: in the system's key store, or in a file that only its owner can read
    where there is none. Returns the place as `key_place` does, with `set_aside` when a damaged file was moved there.

    May ask a person to unlock the key store. `key_store_refused`, `key_file_unsafe`, `key_invalid`.
    """

def remove_key(provider: str, base_url: str | None = None) -> bool:
    """Removes the stored key of a provider at this address; whether there was one. May ask to unlock the key store."""

def fingerprint(request: dict[str, Any]) -> str:
    """SHA-256 (hexadecimal) over what a request asks, and of whom.

    `messages` and, where wanted, `provider`, `model`, `system`, `schema`, `tools`, `tool_filter`, `context_filter`,
    `max_tokens`, `options`.
    """

def known_models() -> list[dict[str, Any]]:
    """What is known of language models.

    `provider, ids, family, context, output, structured_output, tools, images, streaming, prices, priced_to, source`;
    None is “not known”. Prices are US dollars for a million tokens.
    """

def lints(
    document: str | dict[str, Any],
    catalogue: str | PathLike[str] | dict[str, Any],
    attributes: set[str] | None = None,
) -> list[dict[str, Any]]:
    """What is certainly wrong with the trees of a document although Blender says nothing."""

def telemetry() -> dict[str, Any]:
    """Counters over the runs of this process that had telemetry on, and how long their parts took."""

def reset_telemetry() -> None:
    """Sets the counters of `telemetry` back."""

def security_events() -> dict[str, Any]:
    """What security cares about, as it happened in this process; never any content.

    `{"counts": {kind: count}, "latest": [{"at", "kind", "detail"}]}`
    """

def settings() -> list[dict[str, Any]]:
    """Every setting of a run: `name`, `type`, `doc`, `default`, `min`, `max`, `words` (what a word can be),
    `preference` (`title`, `about`, `section`, `start`: how the preferences show it)."""

def preset_prompt(id: str) -> str | None:
    """A prompt that calls for a shipped preset, with `{object}` in place of the object's name; None where words alone
    cannot, as for one that needs a second object.
    """

def nearest_presets(prompt: str) -> list[str]:
    """The IDs of the shipped presets nearest to a prompt, at most three, the nearest first."""

def version() -> dict[str, Any]:
    """Versions of the core and of what it reads: `core`, `protocol`, `ir`, `catalogue`."""
