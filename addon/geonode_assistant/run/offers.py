# SPDX-License-Identifier: GPL-3.0-or-later
"""What the preferences offer: who can plan, and the settings of a run. Made by
`cargo xtask schemas` from `rust/provider/src/providers.rs` and
`rust/engine/src/settings.rs`: changes belong there.
"""

from __future__ import annotations

from typing import Literal, NamedTuple


class Choice(NamedTuple):
    """One of the values that a preference can have, as Blender lists it."""

    name: str
    title: str
    about: str


class Preference(NamedTuple):
    """A setting of a run that the preferences hold under its name."""

    name: str
    title: str
    about: str
    type: Literal["bool", "integer", "number", "word"]
    default: bool | float | str
    section: Literal["plans", "replies", "data", "attempts", "budget", "waiting", "scripts", "checks", "limits"]
    range: tuple[float, float] | None = None
    optional: bool = False
    """Whether it is off by default; `default` is then the value that it has when it is switched on."""
    choices: tuple[Choice, ...] = ()


PROVIDERS = (
    Choice(
        "offline",
        "Offline planner",
        "Plans from a library of presets, without a key or a network",
    ),
    Choice(
        "openai-compatible",
        "OpenAI-compatible",
        "Any local or hosted server that offers the Chat Completions API",
    ),
    Choice(
        "openai",
        "OpenAI",
        "OpenAI's models; the key comes from OPENAI_API_KEY or the field below",
    ),
    Choice(
        "anthropic",
        "Anthropic",
        "Anthropic's models; the key comes from ANTHROPIC_API_KEY or the field below",
    ),
    Choice(
        "gemini",
        "Gemini",
        "Google's models; the key comes from GEMINI_API_KEY, GOOGLE_API_KEY or the field below",
    ),
)
"""Who can plan, in the order of the list."""

SERVERS = frozenset({"openai-compatible"})
"""Those that ask a server of the artist's choice: its address has to be given, and its models are its own."""

PREFERENCES: tuple[Preference, ...] = (
    Preference(
        name="max_prompt_chars",
        title="Longest Prompt (Characters)",
        about="Most characters of a prompt",
        type="integer",
        default=20000,
        section="limits",
        range=(1, 1000000),
    ),
    Preference(
        name="retries",
        title="Further Attempts",
        about="How often a model may try again after a plan that was refused or a result that failed its checks",
        type="integer",
        default=2,
        section="attempts",
        range=(0, 10),
    ),
    Preference(
        name="max_iterations",
        title="Questions of the Model",
        about="How often a model may look at the scene or ask for more before it has to answer",
        type="integer",
        default=8,
        section="attempts",
        range=(0, 50),
    ),
    Preference(
        name="tools",
        title="Let It Look Around",
        about="Models may look at objects, trees and the documentation of nodes before they plan",
        type="bool",
        default=True,
        section="attempts",
    ),
    Preference(
        name="send_pictures",
        title="Send Pictures of the Scene",
        about="A model that asks for a picture gets one. Only for models that can see",
        type="bool",
        default=False,
        section="data",
    ),
    Preference(
        name="max_run_tokens",
        title="Tokens of a Prompt",
        about="No further request is made once a prompt has used so many tokens",
        type="integer",
        default=100000,
        section="budget",
        range=(1, 2000000000),
        optional=True,
    ),
    Preference(
        name="max_run_s",
        title="Seconds of a Prompt",
        about="Longest time that a prompt may take, without the time in which it waits for you",
        type="number",
        default=300.0,
        section="budget",
        range=(1, 86400),
        optional=True,
    ),
    Preference(
        name="max_run_cost",
        title="Cost of a Prompt (US Dollars)",
        about="No further request is made once a prompt has cost so much, in US dollars or your own currency",
        type="number",
        default=1.0,
        section="budget",
        range=(0, 1000000),
        optional=True,
    ),
    Preference(
        name="input_price",
        title="Price of a Million Tokens Sent",
        about="In US dollars or another currency, instead of the known one. Tokens that are sent",
        type="number",
        default=1.0,
        section="budget",
        range=(0, 1000000),
        optional=True,
    ),
    Preference(
        name="output_price",
        title="Price of a Million Tokens Received",
        about="In US dollars or another currency, instead of the known one. Tokens that are received",
        type="number",
        default=1.0,
        section="budget",
        range=(0, 1000000),
        optional=True,
    ),
    Preference(
        name="timeout_s",
        title="Wait for an Answer (Seconds)",
        about="Seconds until an attempt to reach the model is given up, also between two pieces of an answer",
        type="number",
        default=120.0,
        section="waiting",
        range=(1, 600),
    ),
    Preference(
        name="local_timeout_s",
        title="Wait for a Local Model (Seconds)",
        about="Seconds until the first piece of an answer from a server on this computer, which may read for minutes",
        type="number",
        default=600.0,
        section="waiting",
        range=(1, 3600),
    ),
    Preference(
        name="total_timeout_s",
        title="Wait in All (Seconds)",
        about="Seconds of one request with all its attempts",
        type="number",
        default=600.0,
        section="waiting",
        range=(1, 3600),
    ),
    Preference(
        name="network_retries",
        title="Attempts at Sending",
        about="How often a request is sent again after a fault of the network or while the model is overloaded",
        type="integer",
        default=2,
        section="waiting",
        range=(0, 10),
    ),
    Preference(
        name="context_tokens",
        title="Tokens of the Scene",
        about="Most tokens that the description of the scene may take; the least important parts are left out",
        type="integer",
        default=8000,
        section="data",
        range=(300, 1000000),
    ),
    Preference(
        name="conversation_tokens",
        title="Tokens of the Conversation",
        about="Most tokens that earlier prompts and answers may take; 0 sends none",
        type="integer",
        default=4000,
        section="data",
        range=(0, 1000000),
    ),
    Preference(
        name="keep_conversations",
        title="Keep Conversations",
        about="Keep prompts and answers on this computer, without keys, so that prompts can follow each other",
        type="bool",
        default=True,
        section="data",
    ),
    Preference(
        name="cache",
        title="Answer Again from This Computer",
        about="Keep answers of models here and give the same one to the same prompt about the same scene",
        type="bool",
        default=False,
        section="data",
    ),
    Preference(
        name="cache_entries",
        title="Answers That Are Kept",
        about="Most answers of models that are kept on this computer",
        type="integer",
        default=500,
        section="data",
        range=(0, 100000),
    ),
    Preference(
        name="cache_mb",
        title="Megabytes of Answers",
        about="Most space that kept answers may take, in megabytes",
        type="integer",
        default=64,
        section="data",
        range=(0, 65536),
    ),
    Preference(
        name="max_requests_per_minute",
        title="Requests in a Minute",
        about="Most requests to models that this Blender makes in a minute",
        type="integer",
        default=10,
        section="budget",
        range=(0, 1000000),
        optional=True,
    ),
    Preference(
        name="max_requests_per_day",
        title="Requests in a Day",
        about="Most requests to models that this Blender makes in a day",
        type="integer",
        default=500,
        section="budget",
        range=(0, 1000000),
        optional=True,
    ),
    Preference(
        name="max_tokens_per_minute",
        title="Tokens in a Minute",
        about="Most tokens that this Blender sends and receives in a minute",
        type="integer",
        default=100000,
        section="budget",
        range=(0, 2000000000),
        optional=True,
    ),
    Preference(
        name="max_tokens_per_day",
        title="Tokens in a Day",
        about="Most tokens that this Blender sends and receives in a day",
        type="integer",
        default=2000000,
        section="budget",
        range=(0, 2000000000),
        optional=True,
    ),
    Preference(
        name="policy_log_only",
        title="Only Report Broken Rules",
        about=(
            "Rules about what may be sent, and the limits of a minute and a day, report what they would refuse and "
            "let it through"
        ),
        type="bool",
        default=False,
        section="checks",
    ),
    Preference(
        name="max_tokens",
        title="Longest Answer (Tokens)",
        about="Most tokens of an answer, with those that the model thinks in",
        type="integer",
        default=16000,
        section="replies",
        range=(1, 1000000),
        optional=True,
    ),
    Preference(
        name="temperature",
        title="Temperature",
        about="Randomness of answers, from 0 (least) to 2",
        type="number",
        default=0.0,
        section="replies",
        range=(0, 2),
        optional=True,
    ),
    Preference(
        name="seed",
        title="Seed",
        about="Number that answers are drawn from, so that a prompt can be repeated, where the model takes one",
        type="integer",
        default=0,
        section="replies",
        range=(0, 2000000000),
        optional=True,
    ),
    Preference(
        name="stream",
        title="Stream Replies",
        about="Show the reply while the model writes it, not only once it is complete",
        type="bool",
        default=True,
        section="replies",
    ),
    Preference(
        name="structured_output",
        title="Bind Answers to the Form",
        about="The form of a plan binds what the model may write, where it can be bound",
        type="bool",
        default=True,
        section="replies",
    ),
    Preference(
        name="max_steps",
        title="Steps of a Plan",
        about="Most steps of a plan",
        type="integer",
        default=25,
        section="limits",
        range=(1, 1000),
    ),
    Preference(
        name="preview",
        title="Show Every Plan First",
        about="Ask before every plan is applied, not only before those that remove your work or cost much time",
        type="bool",
        default=False,
        section="plans",
    ),
    Preference(
        name="python",
        title="Python Scripts",
        about="Which Python scripts a plan may run",
        type="word",
        default="safe",
        section="plans",
        choices=(
            Choice(
                "off",
                "Off",
                "Plans that contain Python scripts are refused",
            ),
            Choice(
                "safe",
                "Safe Mode",
                (
                    "Scripts may build and edit, but cannot reach files, the network or preferences. Each one is "
                    "shown to you before it runs"
                ),
            ),
            Choice(
                "trusted",
                "Safe and Trusted",
                (
                    "A plan may also contain scripts without any limits. They can do whatever you can do on this "
                    "computer. Each one runs only after you have read and approved it"
                ),
            ),
        ),
    ),
    Preference(
        name="try_scripts",
        title="Try Scripts",
        about="Which scripts are tried first, in a sandbox on a copy of the file, before they can be approved",
        type="word",
        default="always",
        section="plans",
        choices=(
            Choice(
                "always",
                "Always",
                "Every script is tried before you can approve it",
            ),
            Choice(
                "in_doubt",
                "When in Doubt",
                "Only scripts that remove data, are long, or run without anyone reading them first",
            ),
            Choice(
                "never",
                "Never",
                "Scripts are not tried first; the other protections still apply",
            ),
        ),
    ),
    Preference(
        name="max_python_ms",
        title="Longest Script (Milliseconds)",
        about="Milliseconds that a script may ask for",
        type="integer",
        default=10000,
        section="scripts",
        range=(1, 600000),
    ),
    Preference(
        name="max_python_chars",
        title="Characters of a Script",
        about="Most characters of a script",
        type="integer",
        default=20000,
        section="scripts",
        range=(1, 1000000),
    ),
    Preference(
        name="max_operations",
        title="Operations of a Plan",
        about="Most single changes of a plan, over all its steps",
        type="integer",
        default=10000,
        section="limits",
        range=(1, 1000000),
    ),
    Preference(
        name="max_plan_bytes",
        title="Bytes of a Plan",
        about="Most bytes of the text of a plan",
        type="integer",
        default=16777216,
        section="limits",
        range=(1024, 268435456),
    ),
    Preference(
        name="destructive_nodes",
        title="Removed Nodes That Ask",
        about="You are asked before a step removes this many nodes of a tree or more",
        type="integer",
        default=5,
        section="checks",
        range=(1, 100000),
    ),
    Preference(
        name="max_elements",
        title="Elements That Ask",
        about="You are asked before a result has more vertices, points and instances than this",
        type="integer",
        default=5000000,
        section="checks",
        range=(1, 2000000000),
    ),
    Preference(
        name="max_evaluation_s",
        title="Seconds That Ask",
        about="You are asked before a result that would keep Blender busy longer than this, in seconds",
        type="integer",
        default=10,
        section="checks",
        range=(1, 86400),
    ),
    Preference(
        name="max_evaluation_mb",
        title="Megabytes That Ask",
        about="You are asked before a result that would take more memory than this, in megabytes",
        type="integer",
        default=2000,
        section="checks",
        range=(1, 1048576),
    ),
    Preference(
        name="dry_run_s",
        title="Longest Dry Run (Seconds)",
        about="Seconds until a dry run is stopped",
        type="integer",
        default=60,
        section="scripts",
        range=(1, 3600),
    ),
    Preference(
        name="dry_run_mb",
        title="Memory of a Dry Run (Megabytes)",
        about="Most megabytes that a dry run may use",
        type="integer",
        default=4096,
        section="scripts",
        range=(512, 1048576),
    ),
    Preference(
        name="allow_empty_result",
        title="Allow Empty Results",
        about="A result without any geometry counts as a result",
        type="bool",
        default=False,
        section="checks",
    ),
    Preference(
        name="telemetry",
        title="Count and Time Runs",
        about="Times and counters of runs are collected. They stay in this Blender",
        type="bool",
        default=True,
        section="checks",
    ),
    Preference(
        name="strict_requests",
        title="Strict with Prompts",
        about="A prompt that breaks a rule is refused instead of being sent with a warning",
        type="bool",
        default=True,
        section="checks",
    ),
    Preference(
        name="strict_responses",
        title="Strict with Answers",
        about="An answer that breaks a rule is refused instead of being used with a warning",
        type="bool",
        default=True,
        section="checks",
    ),
    Preference(
        name="strict_tools",
        title="Strict with Tools",
        about="A call of a tool that breaks a rule is refused instead of being carried out with a warning",
        type="bool",
        default=True,
        section="checks",
    ),
)
"""The settings among the preferences, in their order."""
