# SPDX-License-Identifier: GPL-3.0-or-later
"""What an artist can do about a failed run: by its code, the buttons that do the next right thing."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import native
from ..run import session
from . import gallery, preferences

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import IconItems


class Step(NamedTuple):
    """A button: its text, its operator with what it is called with, its icon."""

    text: str
    operator: str
    values: Mapping[str, Any]
    icon: IconItems


_KEY = Step("Enter a Key", "geonode.set_up", {}, "KEYINGSET")
_PLANNER = Step("Choose Another Planner", "geonode.set_up", {}, "PREFERENCES")
_MODELS = Step("Choose a Model", "geonode.set_up", {"test": True}, "PRESET")
_TEST = Step("Test Connection", "geonode.set_up", {"test": True}, "LINKED")
_SERVERS = Step("Find Local Servers", "geonode.find_servers", {}, "VIEWZOOM")
_AUDIT = Step("Start a New Audit Log", "geonode.new_audit_log", {}, "FILE_NEW")


def _setting(section: str) -> Step:
    return Step("Open the Preferences", "geonode.open_preferences", {"settings": section}, "PREFERENCES")


def _blender(tab: str) -> Step:
    return Step("Open Blender's Preferences", "geonode.open_preferences", {"tab": tab}, "PREFERENCES")


STEPS: dict[str, Step] = {
    **dict.fromkeys(("auth_failed", "auth_missing", "key_file_damaged", "key_file_unsafe", "key_invalid"), _KEY),
    **dict.fromkeys(("capability_mismatch", "context_too_long", "no_capable_model", "unknown_model"), _MODELS),
    **dict.fromkeys(("insecure_url", "provider_missing", "quota_exhausted", "unknown_provider"), _PLANNER),
    **dict.fromkeys(("bad_request", "bad_response", "network", "timeout"), _TEST),
    **dict.fromkeys(("audit_broken", "audit_full"), _AUDIT),
    **dict.fromkeys(("cost_limit", "request_quota", "run_timeout", "token_limit"), _setting("budget")),
    **dict.fromkeys(("dry_run_memory", "dry_run_timeout"), _setting("scripts")),
    **dict.fromkeys(("python_not_allowed", "sandbox_unavailable", "trial_failed"), _setting("plans")),
    **dict.fromkeys(("python_too_long", "script_timeout"), _setting("scripts")),
    "egress_denied": _setting("data"),
    "iterations_exhausted": _setting("attempts"),
    "prompt_too_long": _setting("limits"),
    "online_access_disabled": _blender("SYSTEM"),
    "undo_unavailable": _blender("EDITING"),
}
# Refusals of the offline planner after which a preset near to the words, or a language model, may help.
NEAR = frozenset({"missing_parameter", "no_preset_match", "not_english", "partly_understood", "several_wishes"})
# Those after which another language model helps no more than the same one.
_LANGUAGE = Step("Use a Language Model", "geonode.set_up", {}, "OUTLINER_OB_FONT")
# Presets that are offered.
_PRESETS = 2
# What of the prompt is understood.
_REST = "Make What Is Understood"


def of(view: session.Session, kind: str) -> list[Step]:
    """The buttons for the error with which the last run ended, the best first; ``kind``: type of the active object."""
    error: Mapping[str, Any] = next((m for m in view.messages if m.get("severity") == "error"), {})
    code, instead = error.get("code", ""), error.get("instead")
    if instead:
        # Nearer to the words than any preset.
        return [Step(_REST, "geonode.send_prompt", {"prompt": instead}, "PLAY"), _LANGUAGE]
    if code in NEAR:
        if not gallery.loaded and not gallery.is_reading():
            # Beside the window; the panel is drawn again when they are there.
            gallery.load()
        named = [gallery.named(preset) for preset in _nearest(view.prompt)]
        fitting = [preset for preset in named if preset is not None and preset.fits(kind)]
        found = [
            Step(preset.shown, "geonode.use_preset", {"preset": preset.id}, "PRESET") for preset in fitting[:_PRESETS]
        ]
        return [*found, _LANGUAGE]
    if code == "unknown_model" and offered():
        return []
    step = STEPS.get(code)
    return [step, _SERVERS] if step is _TEST and code == "network" else [step] if step is not None else []


def offered() -> tuple[str, ...]:
    """The models that the server listed in the last test of the connection."""
    outcome = preferences.connection_state.outcome
    return outcome.models if outcome is not None else ()


@lru_cache(maxsize=8)
def _nearest(prompt: str) -> tuple[str, ...]:
    return tuple(native.core().nearest_presets(prompt))
