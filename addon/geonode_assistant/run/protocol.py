# SPDX-License-Identifier: GPL-3.0-or-later
"""The protocol of a run (rust/run/EFFECTS.md): effects, report, approval request, states. Made by `cargo xtask schemas`
from the Rust types: changes belong there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

if TYPE_CHECKING:
    from ..host.documents import StepDelta


class Report(TypedDict):
    """The report of a run; complete once it has finished."""

    # `done`, `error` or `cancelled`; while it runs, `running`.
    status: str
    # State of the machine.
    state: RunState
    # The prompt.
    prompt: str
    # The provider.
    provider: str
    # The model that answered.
    model: str | None
    # Version of Blender.
    blender: str | None
    # Number of plans that were requested or given.
    attempts: int
    # Steps of the plans that were carried out.
    steps: list[StepRecord]
    # Calls of tools.
    intermediate_steps: list[ToolStep]
    # Last verdict of the gates.
    gates: Envelope | None
    # The approval requests and the artist's answers.
    approvals: list[ApprovalRecord]
    # All messages, the most severe first.
    messages: list[Message]
    # Tokens of all requests together, as the provider counted them, and their cost.
    usage: Spent | None
    # The requests to the model, with the expected usage of each.
    requests: list[Sent]
    # Counts of the validators' findings, per turn and chain.
    validation: list[Tally]
    # Durations of its parts; `None` when the setting `telemetry` is off.
    telemetry: Spans | None
    # How the offline planner read the prompt; `None` for plans of models and given ones.
    understanding: Understanding | None
    # The final message for the artist.
    final_message: str
    # What was changed, in plain words.
    diff: list[str]
    # The last accepted plan, with its repairs.
    plan: dict[str, Any] | None
    # Conversation that the run belongs to.
    conversation: str | None
    # Number of turns of that conversation so far.
    conversation_turns: int


class StepRecord(TypedDict):
    """Record of one step."""

    # The step's ID in the plan.
    step_id: str
    # `NODE_TREE`, `GN_OPS` or `PYTHON`.
    action_type: str
    # Its progress.
    status: StepStatus
    # Unix time in seconds.
    started_at: float | None
    # Unix time in seconds.
    ended_at: float | None
    # What was done.
    message: str
    # Why it failed.
    error: Failure | None


class Failure(TypedDict):
    """A failure with its stable code and a sentence for the artist."""

    # Stable code.
    code: Code
    # What went wrong, the cause and the fix.
    message: str
    # A prompt that would run: what of the artist's is understood.
    instead: NotRequired[str | None]


class ToolStep(TypedDict):
    """A call of a tool or a slice of context, as the report lists it."""

    # The request to the model that made the call, from 1.
    turn: int
    # The tool, or the slice.
    tool: str
    # Number of the call within the run.
    call_id: str
    # The arguments.
    input: Any
    # The result, or `{"code", "message"}`.
    output: Any
    # Whether the call succeeded.
    ok: bool
    # Time in milliseconds.
    ms: int


class Envelope(TypedDict):
    """Verdict of the gates on a run, as it goes into the model's next turn."""

    # Whether every required gate passed.
    success: bool
    # The gates that failed, each once, in the order of the gates.
    failed_gates: list[Code]
    # The same in words.
    messages: list[str]
    # One entry for each cause.
    findings: list[GateFinding]


class GateFinding(TypedDict):
    """One cause for which a gate failed."""

    # The gate.
    gate: Code
    # What exactly was found.
    code: Code
    # Its severity: only an error fails the gate.
    severity: NotRequired[Severity]
    # JSON Pointer into the plan: the operation that names the node concerned, else the last step.
    path: NotRequired[str | None]
    # Stable ID of the node concerned.
    node_id: NotRequired[str | None]
    # Socket concerned.
    socket: NotRequired[str | None]
    # Why the gate failed.
    cause: str
    # What would correct it.
    fix: NotRequired[str | None]


class ApprovalRecord(TypedDict):
    """Record of one answer."""

    # The request's ID, as sent to the host.
    id: str
    # The answer.
    decision: Decision
    # Operations that were left out, as JSON Pointers into the plan.
    without: list[str]
    # The artist's words on a rejection.
    words: str | None
    # Unix time in seconds.
    at: float


class Message(TypedDict):
    """A message for the artist: severity, origin, code, text. The interface decides by code, never by text."""

    # Its severity.
    severity: Severity
    # Its origin.
    origin: Origin
    # Stable code.
    code: Code
    # The text.
    text: str
    # JSON Pointer into the plan, if it is about the plan.
    path: NotRequired[str | None]
    # What the artist can do about it.
    hint: NotRequired[str | None]
    # The same for whoever wrote the plan, in terms of its operations and fields; no artist is shown it.
    planner: NotRequired[ForPlanner | None]
    # Changes of the plan that carry out the planner's hint.
    changes: NotRequired[list[Change]]
    # A prompt that would run: what of the artist's is understood.
    instead: NotRequired[str | None]


class ForPlanner(TypedDict):
    """A finding in the words of plans."""

    # What is wrong, where it is not the message's text.
    text: NotRequired[str | None]
    # What to do about it.
    hint: NotRequired[Advice | None]


class Spent(TypedDict):
    """Tokens and cost of all requests of a run together."""

    # All input, cached included.
    input_tokens: int | None
    # All output, reasoning included.
    output_tokens: int | None
    # Input that came from the provider's cache.
    cached_tokens: int | None
    # Input that was written to the provider's cache.
    cache_write_tokens: int | None
    # Output that was reasoning.
    reasoning_tokens: int | None
    # In US dollars, or in the currency of the settings' prices; `None` if the prices are not known.
    cost_usd: float | None
    # Requests that the cache of replies answered: they cost nothing.
    cached: int


class Sent(TypedDict):
    """One request, as the report lists it; never its content."""

    # Number of the requested plan, from 1.
    turn: int
    # The requested model, if one is named.
    model: str | None
    # Tokens of input, estimated cautiously.
    input_tokens: int
    # Limit of the reply in tokens, if known.
    most_output_tokens: int | None
    # Cost of the input in US dollars, if the prices are known.
    cost_usd: float | None
    # Cost of the input and the longest possible reply.
    most_cost_usd: float | None
    # Whether the reply is streamed.
    stream: bool
    # Hash of the request before the policies.
    fingerprint: str
    # Hash of the context and schema that were inserted.
    context_hash: str
    # Messages of the original request.
    stored_messages: int
    # Bytes of their words and of the instructions.
    stored_bytes: int
    # Messages that are sent.
    sent_messages: int
    # Bytes of their words and of the instructions.
    sent_bytes: int
    # Pictures that are sent.
    sent_images: int
    # Secrets that were removed from the stored request.
    redacted_stored: int
    # Secrets that were removed from the sent request.
    redacted_sent: int
    # Whether a stored reply answers it and nothing is sent.
    cached: bool


class Tally(TypedDict):
    """The number of findings of a chain in one turn of a run."""

    # Number of the requested plan, from 1; 0 before the first.
    turn: int
    # Which chain.
    feature: Feature
    # Number of errors.
    errors: int
    # Number of warnings.
    warnings: int
    # Number of remarks.
    infos: int


class Spans(TypedDict):
    """The spans of one run."""

    spans: list[Span]
    # Spans beyond the limit.
    left_out: int


class Span(TypedDict):
    """One part of a run."""

    # Its name: `run`, the name of a task, `provider_request` or `host`.
    span: str
    # The part that it belongs to.
    parent: str | None
    # Unix time in seconds.
    started_at: float
    # Duration in milliseconds.
    ms: float
    # Numbers and words of this program.
    attributes: dict[str, Any]


class Understanding(TypedDict):
    """What was understood of a prompt, and what was not."""

    # Title of the preset; empty for the answer to a question.
    preset: str
    # The object that shows the result; empty for the answer to a question.
    object: str
    # The modifier whose inputs are the parameters; empty for the answer to a question.
    modifier: str
    # What is placed, in words; `None` for presets that place nothing.
    thing: str | None
    # What was done, a sentence or two each.
    done: list[str]
    # The parameters of the result, in the order of the preset; of a change, those that it sets.
    parameters: list[UnderstoodParameter]
    # What was assumed or read differently, one sentence each.
    assumed: list[str]
    # Words of the prompt that nothing used.
    unused: list[str]


class UnderstoodParameter(TypedDict):
    """A parameter of a result and where its value came from."""

    # Name of the modifier's input; `None` where the value shaped the tree instead.
    input: str | None
    # What it is, for the artist.
    title: str
    # Its value in words, with its unit.
    value: str
    # The words of the prompt that it came from; `None` for a default.
    said: str | None


class ApprovalRequest(TypedDict):
    """One approval request. The driver composes it; the machine adds what comes up later."""

    # Why approval is needed, in words.
    reason: str
    # The tool call that it is about; `None` if it is about a plan.
    tool: NotRequired[AskedTool | None]
    # What the plan does to the file, in a few sentences for the artist.
    summary: NotRequired[list[str]]
    # The steps of the plan.
    steps: list[AskedStep]
    # What the plan changes, in plain words.
    diff: list[str]
    # Whether the plan can be tried in another process, and the result.
    dry_run: NotRequired[AskedDryRun | None]
    # Operations that the artist left out last, as JSON Pointers into the plan.
    without: NotRequired[list[str]]
    # Why the rest does not fit.
    findings: NotRequired[list[Finding]]


class AskedTool(TypedDict):
    """A tool call in an approval request."""

    # The tool.
    id: str
    # Number of the call within the run.
    call_id: str
    # The arguments.
    input: Any


class AskedStep(TypedDict):
    """A step of a plan in an approval request."""

    # JSON Pointer into the plan.
    id: str
    # The step's own identifier.
    step_id: str
    # Its type on the wire.
    action_type: str
    # Its description in the plan.
    description: str
    # Whether it counts as destructive: it removes as many nodes as the setting `destructive_nodes` says, replaces
    # the tree of a modifier, or runs a script that removes data. A step that removes less is not, although its
    # operations are marked.
    destructive: bool
    # Why it needs approval, if it does.
    reason: str | None
    # What it does, one by one.
    operations: list[AskedOperation]
    # The script that it runs, if it runs one.
    script: NotRequired[AskedScript | None]


class AskedOperation(TypedDict):
    """An operation that can be left out."""

    # JSON Pointer into the plan.
    id: str
    # What it does, in plain words.
    words: str
    # Whether it takes away something that the tree contains before the plan: a node, an item, or a socket of the
    # interface.
    destructive: bool
    # What it is about.
    topic: AskedTopic
    # IDs of operations without which it cannot be carried out: they add a node that it names.
    needs: NotRequired[list[str]]


class AskedScript(TypedDict):
    """A whole script."""

    # How far it is trusted.
    mode: PythonMode
    # Its text.
    code: str
    # Its number of lines.
    lines: int
    # Its limit in milliseconds.
    timeout_ms: int
    # The lines that remove data.
    removes: list[str]
    # Numbers of all lines that remove data, from 1.
    marks: list[int]


class AskedDryRun(TypedDict):
    """Whether a plan can be tried in another process, and the result."""

    # Whether it can be tried.
    available: bool
    # It holds a script that is approved only after a trial, as far as it can be tried.
    required: NotRequired[bool]
    # Why it cannot.
    why: NotRequired[str | None]
    # The result, as composed by the host.
    result: NotRequired[Any]


class Finding(TypedDict):
    """One thing that a check found."""

    # How much it weighs.
    severity: Severity
    # Kind of the finding; decisions depend on this, never on the text.
    code: Code
    # Where it is: a JSON Pointer (RFC 6901) into the plan, `""` for the whole.
    path: str
    # What is wrong, in words.
    message: str
    # What the planner can do about it.
    hint: NotRequired[Advice | None]
    # Changes of the plan that carry out the hint, in order. A hint that proposes a definite change has them.
    changes: NotRequired[list[Change]]
    # What the artist can do about it, where it is in the artist's hands.
    by_hand: NotRequired[str | None]


class HostCall(TypedDict):
    """A call for the host."""

    # Unique within the run.
    call_id: str
    # The tool's id.
    tool: str
    # The arguments, which fit the tool's schema.
    arguments: Any
    # Limit of this call in seconds.
    timeout_s: float


class Applied(TypedDict):
    """The host's answer to `apply_step` and `execute_step`."""

    # Number of edits of each kind.
    applied: NotRequired[dict[str, int]]
    # What an executor says that it did.
    message: NotRequired[str]
    # Objects that an executor changed.
    objects: NotRequired[list[str]]
    # Trees that an executor changed.
    trees: NotRequired[list[str]]


class Restored(TypedDict):
    """The host's answer to `restore`."""

    # Whether everything is as before the transaction.
    equal: bool
    # Trees that the artist edited while the run changed them, under the names by which they are kept beside the
    # restored ones.
    aside: NotRequired[list[str]]


class ToolResults(TypedDict):
    """The host's answer to `call_tools`."""

    # The answers in the order of the calls.
    results: list[HostResult]


class HostResult(TypedDict):
    """The host's answer to a call."""

    # Whether there is a result.
    ok: bool
    # The result.
    result: NotRequired[Any]
    # `{code, message}` when there is none.
    error: NotRequired[HostError | None]
    # Time in milliseconds.
    ms: NotRequired[float]


class HostError(TypedDict):
    """Why the host has no result."""

    # A code of the registry; any other counts as `internal_error`.
    code: str
    # In words.
    message: str


# What the artist sees of a state.
Summary = Literal["IDLE", "PLANNING", "VALIDATING", "EXECUTING", "DONE", "ERROR", "CANCELLED"]


# Public states of a run, derived from the phase.
RunState = Literal["idle", "generating", "requesting_context", "applying", "verifying", "done", "error", "cancelled"]


# Progress of a step.
StepStatus = Literal["pending", "running", "done", "failed", "restored"]


# A stable code (`addon/docs/codes.md`).
Code = str


# The severity of a finding, the most severe first.
Severity = Literal["error", "warning", "info"]


# The artist's answer to one request.
Decision = Literal["approved", "rejected", "cancelled"]


# The source of a message.
Origin = Literal["request", "provider", "plan", "preflight", "host", "gates", "tools", "run", "driver"]


# Words for whoever writes plans, a model or a script: they may name operations and fields, so no artist is shown
# them.
Advice = str


class ChangeAdd(TypedDict):
    """Inserts a value: a field, an element before the named one, or one after the last (`-`)."""

    op: Literal["add"]
    # JSON Pointer into the plan.
    path: str
    # The value that is inserted.
    value: Any


class ChangeReplace(TypedDict):
    """Replaces a value."""

    op: Literal["replace"]
    # JSON Pointer into the plan.
    path: str
    # The new value.
    value: Any


class ChangeRemove(TypedDict):
    """Removes a value."""

    op: Literal["remove"]
    # JSON Pointer into the plan.
    path: str


# One change of a plan: an operation of JSON Patch (RFC 6902).
Change = ChangeAdd | ChangeReplace | ChangeRemove


# The subject of a chain.
Feature = Literal["requests", "responses", "tools"]


class EffectCaptureContext(TypedDict):
    """Reads the scene."""

    effect: Literal["capture_context"]
    # The object that the prompt is about; `None`: the active one.
    object: str | None
    # The modifier that it is about.
    modifier: str | None
    # Number of the effect, which its answer names.
    id: str


class EffectInspect(TypedDict):
    """Exports objects and trees, with a fingerprint."""

    effect: Literal["inspect"]
    # Objects by name.
    objects: list[str]
    # Trees by name.
    trees: list[str]
    # Materials whose looks decide whether the plan makes new ones, by name.
    materials: NotRequired[list[str]]
    # Number of the effect, which its answer names.
    id: str


class EffectBegin(TypedDict):
    """Opens the transaction, or extends it."""

    effect: Literal["begin"]
    # Objects that will be written.
    objects: list[str]
    # Trees that will be written.
    trees: list[str]
    # Whether the transaction is open already and grows.
    extend: bool
    # Whether the whole file has to be restorable, because a script follows.
    whole: bool
    # What the trial made, changed and removed; nothing else may be.
    names: NotRequired[dict[str, dict[str, list[str]]] | None]
    # Number of the effect, which its answer names.
    id: str


class EffectApplyStep(TypedDict):
    """Applies the edit of a step."""

    effect: Literal["apply_step"]
    # The step's ID in the plan.
    step_id: str
    # The edit.
    delta: StepDelta
    # Number of the effect, which its answer names.
    id: str


class EffectExecuteStep(TypedDict):
    """Carries out a step that is not an edit: a script, or a type that a script added."""

    effect: Literal["execute_step"]
    # The step's ID in the plan.
    step_id: str
    # Its type.
    action_type: str
    # Its payload in the plan.
    payload: dict[str, Any]
    # Number of the effect, which its answer names.
    id: str


class EffectVerify(TypedDict):
    """Collects evidence."""

    effect: Literal["verify"]
    # Objects by name.
    objects: list[str]
    # Trees by name.
    trees: list[str]
    # Number of the effect, which its answer names.
    id: str


class EffectRestore(TypedDict):
    """Restores everything as it was before the transaction."""

    effect: Literal["restore"]
    # Number of the effect, which its answer names.
    id: str


class EffectCommit(TypedDict):
    """Keeps the result as one undo step."""

    effect: Literal["commit"]
    # Text of the undo step.
    message: str
    # The whole prompt; what was made is marked with its digest.
    words: str
    # Identifier of the run, which the marks contain too.
    run: str
    # Number of the effect, which its answer names.
    id: str


class EffectAskApproval(TypedDict):
    """Asks the artist."""

    effect: Literal["ask_approval"]
    # What the artist is asked.
    request: ApprovalRequest
    # Number of the effect, which its answer names.
    id: str


class EffectDryRun(TypedDict):
    """Applies the plan to a copy of the file in another process."""

    effect: Literal["dry_run"]
    # The plan.
    plan: dict[str, Any]
    # Indices of the steps that mean exactly the tree that they name, as the request of the other run takes them.
    exact: list[int]
    # Path or text of the catalogue.
    catalogue: str
    # Limit of its time.
    seconds: int
    # Limit of its memory.
    megabytes: int
    # Whether it may run only inside the sandbox.
    sealed: bool
    # Number of the effect, which its answer names.
    id: str


class EffectCallTools(TypedDict):
    """Calls tools that only read."""

    effect: Literal["call_tools"]
    # The calls, in the order of their results.
    calls: list[HostCall]
    # What a call that names nothing is about: `object`, `node_group`.
    target: dict[str, Any]
    # Number of the effect, which its answer names.
    id: str


# One effect for the host; its `id` is text, so that interfaces can carry it anywhere.
Effect = (
    EffectCaptureContext
    | EffectInspect
    | EffectBegin
    | EffectApplyStep
    | EffectExecuteStep
    | EffectVerify
    | EffectRestore
    | EffectCommit
    | EffectAskApproval
    | EffectDryRun
    | EffectCallTools
)


# What an operation is about, so that many of them can be shown as a few groups.
AskedTopic = Literal["new_nodes", "interface", "changes", "removals"]


# How far a script is trusted.
PythonMode = Literal["safe", "trusted"]


class ReportAttributes:
    """The fields of ``Report`` as attributes."""

    status: str
    state: RunState
    prompt: str
    provider: str
    model: str | None
    blender: str | None
    attempts: int
    steps: list[StepRecord]
    intermediate_steps: list[ToolStep]
    gates: Envelope | None
    approvals: list[ApprovalRecord]
    messages: list[Message]
    usage: Spent | None
    requests: list[Sent]
    validation: list[Tally]
    telemetry: Spans | None
    understanding: Understanding | None
    final_message: str
    diff: list[str]
    plan: dict[str, Any] | None
    conversation: str | None
    conversation_turns: int
