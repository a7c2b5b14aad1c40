# SPDX-License-Identifier: GPL-3.0-or-later
"""The audit log through the native module; damage of the chain is tested in Rust."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chat_server import Endpoint
from scripted_host import MOVE, Host, plan
from test_approvals import VALUE, Answers, approve, reject


def test_entries_are_chained_and_verified(tmp_path: Path) -> None:
    import geonode_core

    path = tmp_path / "audit.jsonl"
    log = geonode_core.AuditLog(path)
    first = log.append("approval", {"decision": "approved", "steps": ["a", "ü"], "at": 0.1})
    second = geonode_core.AuditLog(str(path)).append("egress", None)
    assert (first["n"], second["n"], second["previous"]) == (1, 2, first["hash"])
    assert log.verify() == {"entries": 2, "broken_at": None, "why": None}

    path.write_text(path.read_text(encoding="utf-8").replace("approved", "rejected"), encoding="utf-8")
    assert geonode_core.AuditLog(path).verify()["broken_at"] == 1
    with pytest.raises(geonode_core.PolicyError) as caught:
        geonode_core.AuditLog(path).append("more", {})
    assert caught.value.code == "audit_broken"
    with pytest.raises(geonode_core.ProtocolError):
        log.append("not a number", float("nan"))
    with pytest.raises(geonode_core.PolicyError) as caught:
        geonode_core.AuditLog(tmp_path / "no" / "folder")
    assert caught.value.code == "audit_unwritable"


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    """The path of the log that is written during the test."""
    import geonode_core

    yield geonode_core.audit_start(tmp_path / "audit.jsonl")
    geonode_core.audit_stop()


def entries(log: Path) -> list[tuple[str, Any]]:
    import geonode_core

    assert geonode_core.audit_flush(30)
    assert geonode_core.audit_state()["broken_at"] is None
    return [(entry["kind"], entry["detail"]) for entry in map(json.loads, log.read_text(encoding="utf-8").splitlines())]


def test_a_request_is_recorded_without_its_words(start, host: Host, endpoint: Endpoint, log: Path) -> None:
    endpoint.replies = [json.dumps(plan(*MOVE))]
    secret = {"api_key": "sk-test-secret", "base_url": endpoint.url + "?token=hidden"}
    report = host.drive(start("move it up", provider="openai-compatible", model="small", **secret))
    assert report["status"] == "done", report["messages"]
    [(kind, detail)] = entries(log)
    assert kind == "request"
    fingerprint, size = detail.pop("fingerprint"), detail.pop("bytes")
    assert detail == {
        "provider": "openai-compatible",
        "origin": endpoint.url.removesuffix("/v1"),
        "model": "small",
        "images": 0,
    }
    assert len(fingerprint) == 64
    assert 100 < size <= len(json.dumps(endpoint.asked[0])) * 2
    text = log.read_text(encoding="utf-8")
    assert not any(word in text for word in ("move it up", "sk-test", "hidden", "Plane"))


def test_answers_and_refusals_are_recorded(start, host: Host, log: Path) -> None:
    risky = plan(*MOVE, step={"requires_approval": True})
    host.drive(start(plan=risky, approve="ask"), decide=Answers(approve(VALUE)))
    asked = {"steps": ["NODE_TREE"], "destructive": False}
    assert entries(log) == [("approval", {"decision": "approved", **asked, "left_out": 1})]
    host.drive(start("again", plan=risky, approve="ask"), decide=Answers(reject("not this secret prompt")))
    assert entries(log)[1:] == [("approval", {"decision": "rejected", **asked, "left_out": 0})]
    assert host.drive(start(plan=risky))["status"] == "error"
    assert entries(log)[2:] == [("refused", {"codes": ["approval_required"]})]
    assert "secret prompt" not in log.read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a key store")
def test_changes_of_keys_are_recorded_without_the_key(
    log: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import geonode_core

    for name in ("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GEONODE_ASSISTANT_HOME", str(tmp_path))
    geonode_core.keep_key("openai", "sk-test-secret")
    geonode_core.remove_key("openai")
    geonode_core.remove_key("openai")
    slot = {"slot": "openai https://api.openai.com"}
    kept = {**slot, "place": "file", "path": str(tmp_path / "keys.json")}
    assert entries(log) == [("key_kept", kept), ("key_removed", slot)]


def test_a_damaged_log_is_reported_with_each_run_and_not_changed(start, host: Host, log: Path) -> None:
    import geonode_core

    geonode_core.audit_flush(30)
    log.write_text("no entry\n", encoding="utf-8")
    risky = plan(*MOVE, step={"requires_approval": True})
    for _ in range(2):
        # The first entry finds it out.
        host.drive(start(plan=risky, approve="ask"), decide=Answers(approve()))
        assert geonode_core.audit_flush(30)
    report = host.drive(start(plan=plan(*MOVE)))
    assert report["status"] == "done"
    [said] = [message for message in report["messages"] if message["code"] == "audit_broken"]
    assert (said["severity"], str(log) in said["text"]) == ("warning", True)
    assert log.read_text(encoding="utf-8") == "no entry\n"
    aside = geonode_core.audit_renew()
    assert aside.read_text(encoding="utf-8") == "no entry\n"
    report = host.drive(start(plan=plan(*MOVE)))
    assert not [message for message in report["messages"] if message["code"] == "audit_broken"]


def test_a_trusted_script_is_recorded_by_its_hash_and_a_refused_one_by_its_rules(start, host: Host, log: Path) -> None:
    code = "import socket\nsecret = 'hunter2'\n"

    def proposal(mode: str) -> dict[str, Any]:
        step = {"id": "p", "type": "PYTHON", "description": "", "payload": {"code": code, "mode": mode}}
        return {"version": "1.1", "steps": [step], "done": True, "final_message": ""}

    host.drive(start(plan=proposal("safe"), approve="all"))
    trusted = start(plan=proposal("trusted"), approve="ask", settings={"python": "trusted"})
    report = host.drive(trusted, decide=lambda run, effect: run.approve(effect["id"]))
    assert report["status"] == "done", report["messages"]
    found = entries(log)
    assert found[0] == ("refused", {"codes": ["script_import"]})
    hashed = {"sha256": hashlib.sha256(code.encode()).hexdigest(), "characters": len(code)}
    assert [kind for kind, _ in found[1:]] == ["approval", "trusted_script"]
    assert found[2] == ("trusted_script", hashed)
    assert "hunter2" not in log.read_text(encoding="utf-8")


def test_a_request_that_never_left_is_not_recorded(start, host: Host, endpoint: Endpoint, log: Path) -> None:
    nowhere = {"base_url": "http://127.0.0.1:9/v1", "settings": {"network_retries": 0}}
    report = host.drive(start("move it up", provider="openai-compatible", model="small", **nowhere))
    assert (report["status"], report["messages"][0]["code"]) == ("error", "network")
    assert entries(log) == []
