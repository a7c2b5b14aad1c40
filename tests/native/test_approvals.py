# SPDX-License-Identifier: GPL-3.0-or-later
"""Approvals on a host without Blender: questions, operations left out, rejections with words, dry runs."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from scripted_host import MOVE, Host, plan, socket

RISKY = plan(*MOVE, step={"requires_approval": True})
ALL = [f"/steps/0/payload/operations/{index}" for index in range(len(MOVE))]
VALUE, INTO, OUT = ALL[3], ALL[4], ALL[5]


class Answers:
    """Answers one question after the other and records them."""

    def __init__(self, *answers: Callable[[Any, Any], None]) -> None:
        self.left = list(answers)
        self.asked: list[dict[str, Any]] = []

    def __call__(self, run: Any, effect: dict[str, Any]) -> None:
        self.asked.append(effect["request"])
        assert self.left, f"asked once more: {effect['request']}"
        self.left.pop(0)(run, effect["id"])


def approve(*without: str) -> Callable[[Any, Any], None]:
    return lambda run, request: run.approve(request, list(without))


def reject(words: str | None = None) -> Callable[[Any, Any], None]:
    return lambda run, request: run.reject(request, words)


def dry_run(*without: str) -> Callable[[Any, Any], None]:
    return lambda run, request: run.dry_run(request, list(without))


def records(report: dict[str, Any]) -> list[tuple]:
    return [(one["decision"], one["without"], one["words"]) for one in report["approvals"]]


def test_a_request_lists_its_operations(start, host: Host) -> None:
    answers = Answers(approve())
    report = host.drive(start(plan=RISKY, approve="ask"), decide=answers)
    assert report["status"] == "done", report["messages"]
    [step] = answers.asked[0]["steps"]
    assert (step["id"], step["step_id"], step["destructive"]) == ("/steps/0", "s1", False)
    assert "asks for approval" in step["reason"]
    assert [one["id"] for one in step["operations"]] == ALL
    assert step["operations"][2]["words"] == "Add Transform Geometry “move”"
    assert step["operations"][3]["words"] == "Set Translation of “move” to [0,0,2]"
    assert step["operations"][4]["words"] == "Link group_input.Geometry to move.Geometry"
    assert not any(one["destructive"] for one in step["operations"])
    assert answers.asked[0]["dry_run"] == {"available": True}
    assert records(report) == [("approved", [], None)]
    assert report["approvals"][0]["at"] > 1e9


def test_destructive_operations_are_marked(start, host: Host) -> None:
    nodes = [{"op": "create_node", "node_id": f"n{i}", "bl_idname": "ShaderNodeMath"} for i in range(5)]
    host.drive(start(plan=plan(*MOVE, *nodes)))
    more = {"op": "create_node", "node_id": "new", "bl_idname": "ShaderNodeMath"}
    gone = plan(more, *({"op": "delete_node", "node_id": f"n{i}"} for i in range(5)))
    answers = Answers(reject())
    host.drive(start(plan=gone, approve="ask"), decide=answers)
    [step] = answers.asked[0]["steps"]
    assert step["destructive"]
    assert [one["destructive"] for one in step["operations"]] == [False] + [True] * 5
    assert step["operations"][1]["words"] == "Remove Math “n0”"


def test_a_left_out_operation_is_not_applied(start, host: Host) -> None:
    answers = Answers(approve(VALUE))
    report = host.drive(start(plan=RISKY, approve="ask"), decide=answers)
    assert report["status"] == "done", report["messages"]
    assert host.done.count("begin") == 1
    [move] = [node for node in host.trees["Made"]["nodes"] if node["id"] == "move"]
    assert "inputs" not in move
    assert len(report["plan"]["steps"][0]["payload"]["operations"]) == len(MOVE) - 1
    assert not [line for line in report["diff"] if "Translation" in line]
    assert records(report) == [("approved", [VALUE], None)]


def test_a_whole_step_is_left_out(start, host: Host) -> None:
    two = plan(*MOVE, step={"requires_approval": True})
    second = plan({"op": "create_node", "node_id": "more", "bl_idname": "ShaderNodeMath"})["steps"][0]
    two["steps"].append({**second, "id": "s2"})
    for without in (["/steps/1"], ["/steps/1/payload/operations/0"]):
        answers = Answers(approve(*without))
        report = host.drive(start(plan=two, approve="ask"), decide=answers)
        assert report["status"] == "done", report["messages"]
        assert [step["step_id"] for step in report["steps"]] == ["s1"]
        assert "more" not in {node["id"] for node in host.trees["Made"]["nodes"]}


def test_an_invalid_remainder_is_asked_about_again_and_can_be_corrected(start, host: Host) -> None:
    node = ALL[2]
    answers = Answers(approve(node), approve(node, VALUE), approve())
    report = host.drive(start(plan=RISKY, approve="ask"), decide=answers)
    assert report["status"] == "done", report["messages"]
    assert "findings" not in answers.asked[0] and "without" not in answers.asked[0]
    for request, without in ((answers.asked[1], [node]), (answers.asked[2], [node, VALUE])):
        assert request["without"] == without
        errors = [found for found in request["findings"] if found["severity"] == "error"]
        assert {found["code"] for found in errors} == {"unknown_node"}
        # The pointers refer to the whole plan, which the artist sees.
        assert all(found["path"].startswith(tuple(ALL)) for found in errors)
        assert [one["id"] for one in request["steps"][0]["operations"]] == ALL
    paths = [found["path"] for found in answers.asked[1]["findings"]]
    assert any(path.startswith(VALUE) for path in paths)
    assert not any(path.startswith(VALUE) for path in [f["path"] for f in answers.asked[2]["findings"]])
    assert host.done.count("begin") == 1 and host.done.count("apply_step") == 1
    assert [one[0] for one in records(report)] == ["approved"] * 3


def test_leaving_everything_out_is_a_rejection(start, host: Host) -> None:
    for without in (ALL, ["/steps/0"]):
        report = host.drive(start(plan=RISKY, approve="ask"), decide=Answers(approve(*without)))
        assert report["status"] == "cancelled"
        assert "user_rejected" in {message["code"] for message in report["messages"]}
        assert records(report) == [("rejected", without, None)]
        assert "begin" not in host.done


def test_unknown_ids_are_refused_and_the_question_stays_open(start, host: Host) -> None:
    answers = Answers(approve("/steps/7"), dry_run("nonsense", VALUE), approve(VALUE, VALUE))
    report = host.drive(start(plan=RISKY, approve="ask"), decide=answers)
    assert report["status"] == "done", report["messages"]
    assert [found["path"] for found in answers.asked[1]["findings"]] == ["/steps/7"]
    assert [found["code"] for found in answers.asked[2]["findings"]] == ["invalid_argument"]
    assert "dry_run" not in host.done
    assert records(report) == [("approved", [VALUE, VALUE], None)]


def test_a_callable_that_repeats_an_invalid_choice_is_stopped(start, host: Host) -> None:
    asked = []

    def decide(run: Any, effect: dict[str, Any]) -> None:
        asked.append(effect)
        run.approve(effect["id"], ["/steps/7"])

    report = host.drive(start(plan=RISKY, approve="ask"), decide=decide)
    assert (report["status"], len(asked)) == ("error", 50)
    assert report["messages"][0]["code"] == "approval_required"
    assert "begin" not in host.done


def test_late_and_second_answers_change_nothing(start, host: Host) -> None:
    ids = []

    def decide(run: Any, effect: dict[str, Any]) -> None:
        ids.append(effect["id"])
        run.approve("999")
        run.reject("0", "No.")
        run.approve(effect["id"])
        run.approve(effect["id"], [VALUE])
        run.reject(effect["id"])
        run.dry_run(effect["id"])

    run = start(plan=RISKY, approve="ask")
    report = host.drive(run, decide=decide)
    assert report["status"] == "done", report["messages"]
    assert "dry_run" not in host.done
    run.approve(ids[0])
    run.reject(ids[0], "Too late.")
    assert run.report() == report
    assert records(report) == [("approved", [], None)]


def test_a_rejection_with_words_starts_the_next_turn(start, host: Host) -> None:
    low = plan(*MOVE, step={"requires_approval": True})
    low["steps"][0]["payload"]["operations"][3] = {**MOVE[3], "value": [0, 0, 1]}
    answers = Answers(reject("Not so high, please."), approve())
    run = start("lift it", provider="replay", replies=[RISKY, low], approve="ask")
    report = host.drive(run, decide=answers)
    assert report["status"] == "done", report["messages"]
    assert report["attempts"] == 2
    assert host.done.count("begin") == 1
    assert records(report) == [("rejected", [], "Not so high, please."), ("approved", [], None)]
    assert "[0,0,1]" in answers.asked[1]["steps"][0]["operations"][3]["words"]


def test_rejections_with_words_count_as_turns(start, host: Host) -> None:
    answers = Answers(reject("Other."), reject("Other."), reject("Other."))
    replies = [RISKY] * 4
    run = start("x", provider="replay", replies=replies, approve="ask", settings={"max_iterations": 2})
    report = host.drive(run, decide=answers)
    assert report["status"] == "error"
    assert report["messages"][0]["code"] == "iterations_exhausted"
    assert "begin" not in host.done


@pytest.mark.parametrize("words", ["", "  \n"])
def test_a_rejection_without_words_ends_the_run(start, host: Host, words: str) -> None:
    run = start("x", provider="replay", replies=[RISKY, RISKY], approve="ask")
    report = host.drive(run, decide=Answers(reject(words)))
    assert (report["status"], records(report)) == ("cancelled", [("rejected", [], None)])


def test_rejecting_a_plan_given_directly_ends_the_run(start, host: Host) -> None:
    report = host.drive(start(plan=RISKY, approve="ask"), decide=Answers(reject("Smaller.")))
    assert (report["status"], records(report)) == ("cancelled", [("rejected", [], "Smaller.")])


def test_too_many_words_leave_the_question_open(start, host: Host) -> None:
    import geonode_core

    def decide(run: Any, effect: dict[str, Any]) -> None:
        with pytest.raises(geonode_core.ProtocolError) as caught:
            run.reject(effect["id"], "x" * 101)
        assert caught.value.code == "prompt_too_long"
        run.reject(effect["id"], "x" * 100)

    run = start("x", provider="replay", replies=[RISKY, plan(*MOVE)], approve="ask", settings={"max_prompt_chars": 100})
    report = host.drive(run, decide=decide)
    assert report["status"] == "done", report["messages"]


def test_the_offline_planner_takes_the_words_as_the_prompt(start, host: Host) -> None:
    answers = Answers(reject("ring of 5 spheres"), approve())
    run = start("ring of 12 spheres", object="Plane", approve="ask", settings={"preview": True})
    report = host.drive(run, decide=answers)
    assert report["attempts"] == 2
    assert len(answers.asked) == 2
    first, second = (" ".join(request["diff"]) for request in answers.asked)
    assert "(12)" in first and "(12)" not in second and "(5)" in second


def test_a_preview_shows_every_plan(start, host: Host) -> None:
    answers = Answers(approve(VALUE))
    report = host.drive(start(plan=plan(*MOVE), approve="ask", settings={"preview": True}), decide=answers)
    assert report["status"] == "done", report["messages"]
    assert "shown" in answers.asked[0]["reason"]
    # Where nobody can be asked, nothing is asked.
    for mode in ("none", "all"):
        again = host.drive(start(plan=plan(*MOVE), approve=mode, settings={"preview": True}))
        assert again["status"] == "done", again["messages"]


def test_a_remainder_that_costs_more_is_asked_about_for_its_cost(start, host: Host) -> None:
    geometry = [
        {"op": "create_node", "node_id": "cube", "bl_idname": "GeometryNodeMeshCube"},
        {"op": "create_node", "node_id": "fine", "bl_idname": "GeometryNodeSubdivideMesh"},
        {"op": "create_node", "node_id": "finer", "bl_idname": "GeometryNodeSubdivideMesh"},
        {"op": "set_input_default", "node_id": "fine", "socket": "Level", "value": 6},
        {"op": "set_input_default", "node_id": "finer", "socket": "Level", "value": 6},
        {"op": "link", "from": socket("cube", "Mesh"), "to": socket("fine", "Mesh")},
        {"op": "link", "from": socket("fine", "Mesh"), "to": socket("finer", "Mesh")},
        {"op": "link", "from": socket("finer", "Mesh"), "to": socket("group_output", "Geometry")},
        {"op": "set_input_default", "node_id": "finer", "socket": "Level", "value": 1},
    ]
    proposal = plan(MOVE[1], *geometry, step={"requires_approval": True})
    tame = f"/steps/0/payload/operations/{len(geometry)}"
    answers = Answers(approve(tame), approve(tame))
    report = host.drive(start(plan=proposal, approve="ask"), decide=answers)
    assert len(answers.asked) == 2
    assert "Level" in answers.asked[1]["reason"] and answers.asked[1]["without"] == [tame]
    assert report["status"] == "done", report["messages"]


def test_an_edit_while_the_choice_is_open_is_asked_about_again(start, host: Host) -> None:
    def meddle(run: Any, request: Any) -> None:
        own = {"name": "Own", "type": "SUBSURF", "inputs": {}, "node_group": None}
        host.objects["Plane"]["modifiers"].append(own)
        run.approve(request, [VALUE])

    answers = Answers(meddle, approve(VALUE))
    report = host.drive(start(plan=RISKY, approve="ask"), decide=answers)
    assert report["status"] == "done", report["messages"]
    assert len(answers.asked) == 2


def test_a_cancel_while_asked_is_recorded(start, host: Host) -> None:
    report = host.drive(start(plan=RISKY, approve="ask"), decide=lambda run, effect: run.cancel())
    assert (report["status"], records(report)) == ("cancelled", [("cancelled", [], None)])
    assert "begin" not in host.done


def test_the_result_of_a_dry_run_is_added_to_the_question(start, host: Host) -> None:
    host.dry_run = lambda effect: {"ok": True, "seconds": 1.5}
    answers = Answers(dry_run(VALUE), approve(VALUE))
    report = host.drive(start(plan=RISKY, approve="ask"), decide=answers)
    assert report["status"] == "done", report["messages"]
    [effect] = [effect for effect in host.effects if effect["effect"] == "dry_run"]
    assert len(effect["plan"]["steps"][0]["payload"]["operations"]) == len(MOVE) - 1
    assert (effect["seconds"], effect["megabytes"]) == (60, 4096)
    assert answers.asked[1]["dry_run"] == {
        "available": True,
        "result": {"ok": True, "seconds": 1.5, "without": [VALUE]},
    }
    assert answers.asked[1]["without"] == [VALUE]


def test_a_dry_run_of_a_page_makes_the_same_edit_as_the_run(start, host: Host) -> None:
    def page(text: str) -> dict[str, Any]:
        step = {"id": "s", "type": "NODE_TREE", "description": "A tree", "payload": {"text": text}}
        step["requires_approval"] = True
        return {"version": "1.2", "steps": [step], "done": True, "final_message": "Done."}

    tower = "def tower(geometry: Geometry) -> Geometry:\n    box = cube()\n    return join_geometry(geometry, box)\n"
    report = host.drive(start(plan=page(f'{tower}\napply("Tower", object="Plane")\n'), approve="all"))
    assert report["status"] == "done", report["messages"]

    edit = 'with edit("Tower"):\n    ball = ico_sphere()\n    return join_geometry(geometry, ball)\n'
    edit += '\napply("Tower", object="Plane")\n'
    there: list[Host] = []

    def try_out(effect: dict[str, Any]) -> dict[str, Any]:
        other = copy.deepcopy({"objects": host.objects, "trees": host.trees})
        there.append(Host())
        there[0].objects, there[0].trees = other["objects"], other["trees"]
        request = {"plan": effect["plan"], "exact": effect["exact"], "approve": "all"}
        report = there[0].drive(start(**request))
        assert report["status"] == "done", report["messages"]
        return {"ok": True, "seconds": 1.5}

    host.dry_run = try_out
    report = host.drive(start(plan=page(edit), approve="ask"), decide=Answers(dry_run(), approve()))
    assert report["status"] == "done", report["messages"]
    assert [effect["exact"] for effect in host.effects if effect["effect"] == "dry_run"] == [[0]]
    assert (there[0].objects, there[0].trees) == (host.objects, host.trees)
    assert list(host.trees) == ["Tower"]


def test_a_dry_run_that_cannot_start_does_not_end_the_run(start, host: Host) -> None:
    host.faults["dry_run"] = ("disk_full", "No space left.")
    answers = Answers(dry_run(), approve())
    report = host.drive(start(plan=RISKY, approve="ask"), decide=answers)
    assert report["status"] == "done", report["messages"]
    assert answers.asked[1]["dry_run"]["result"]["code"] == "disk_full"
    answers = Answers(dry_run("/steps/0"), reject())
    host.drive(start(plan=RISKY, approve="ask"), decide=answers)
    assert "nothing for a dry run" in answers.asked[1]["dry_run"]["result"]["text"]


@pytest.mark.parametrize("answer", ["approve", "reject", "cancel"])
def test_an_answer_does_not_wait_for_the_dry_run(start, host: Host, answer: str) -> None:
    run = start(plan=RISKY, approve="ask")
    ids: list[str] = []

    def before(_host: Host, effect: dict[str, Any]) -> None:
        if effect["effect"] == "dry_run":
            run.cancel() if answer == "cancel" else getattr(run, answer)(ids[0])

    host.before_effect = before
    host.dry_run = lambda effect: {"ok": True}

    def decide(run: Any, effect: dict[str, Any]) -> None:
        ids.append(effect["id"])
        run.dry_run(effect["id"])

    report = host.drive(run, decide=decide)
    assert report["status"] == ("done" if answer == "approve" else "cancelled"), report["messages"]
    assert len(ids) == 1
    decision = {"approve": "approved", "reject": "rejected", "cancel": "cancelled"}[answer]
    assert [one[0] for one in records(report)] == [decision]
