# SPDX-License-Identifier: GPL-3.0-or-later
"""The audit log as scripts see it; what breaks a chain is tested in Rust."""

from __future__ import annotations

from pathlib import Path

import pytest


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
