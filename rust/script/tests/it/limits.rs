//! Places, rewriting, and time.

use std::time::{Duration, Instant};

use geonode_protocol::{Code, LISTED_FINDINGS};
use geonode_script::check;

#[track_caller]
fn place(source: &str, line: u32, column: u32, code: Code) {
    let verdict = check(source, "5.2");
    let found = &verdict.findings[0];
    assert_eq!(
        (found.line, found.column, found.code),
        (line, column, code),
        "{verdict:?}"
    );
}

#[test]
fn places_are_lines_and_characters() {
    place("x = 1\ny = eval('1')", 2, 5, Code::ScriptName);
    place("s = 'äöü'; open('x')", 1, 12, Code::ScriptName);
    place("x = f'é{1} {exec(1)}'", 1, 13, Code::ScriptName);
    place(
        "import bpy\r\nbpy.ops.wm.quit_blender()\r\n",
        2,
        1,
        Code::ScriptOperator,
    );
    place("import bpy\nbpy.context.preferences", 2, 13, Code::ScriptAttribute);
    place("x = 1\n  y = 2", 2, 1, Code::ScriptSyntax);
}

#[test]
fn findings_are_bounded_and_say_so() {
    let verdict = check(&"eval(1)\n".repeat(500), "5.2");
    assert_eq!(verdict.findings.len(), LISTED_FINDINGS);
    assert_eq!(verdict.findings[LISTED_FINDINGS - 1].code, Code::MoreFindings);
    assert!(verdict.findings[LISTED_FINDINGS - 1].text.starts_with("451 "));
}

#[test]
fn same_quote_f_strings_are_rewritten_in_place_or_refused() {
    let verdict = check("d = {'a': 1}\nprint(f'{d['a']} {d[\"a\"]}')\n", "4.5");
    assert!(verdict.ok, "{verdict:?}");
    assert_eq!(
        verdict.rewritten.as_deref(),
        Some("d = {'a': 1}\nprint(f'{d[\"a\"]} {d[\"a\"]}')\n")
    );
    let plain = check("d = {'a': 1}\nprint(f\"{d['a']}\")\n", "4.5");
    assert!(plain.ok && plain.rewritten.is_none(), "{plain:?}");
    // A rewritten text is judged as rewritten, at the same places.
    place("d = {}\nprint(f'{d['a']} {eval('1')}')", 2, 19, Code::ScriptName);
    for doubtful in [
        r#"f'{d['a"b']}'"#,
        r"f'{d['a\n']}'",
        r#"f"{f'{d["a"]}'}""#,
        "f'{d['''a''']}'",
    ] {
        let verdict = check(&format!("d = {{}}\nx = {doubtful}"), "5.2");
        let found = &verdict.findings[0];
        assert_eq!(
            (found.line, found.code),
            (2, Code::ScriptSyntax),
            "{doubtful}: {verdict:?}"
        );
    }
}

#[test]
fn code_that_removes_data_is_asked_about() {
    let verdict = check(
        "import bpy\nbpy.ops.object.delete()\nbpy.data.meshes.remove(bpy.data.meshes[0])\n",
        "5.2",
    );
    assert!(verdict.ok, "{verdict:?}");
    assert_eq!(verdict.asks.len(), 2);
    assert_eq!(verdict.asks[1].line, 3);
}

#[test]
fn what_leaves_less_of_a_mesh_that_was_read_is_asked_about() {
    let asked = |call: &str| {
        let source =
            format!("import bpy, bmesh\nb = bmesh.new()\nb.from_mesh(bpy.data.meshes[0])\nv = b.verts[:]\n{call}\n");
        let verdict = check(&source, "5.2");
        assert!(verdict.ok, "{:?}", verdict.findings);
        !verdict.asks.is_empty()
    };
    for call in [
        "bmesh.ops.dissolve_verts(b, verts=v)",
        "bmesh.ops.pointmerge(b, verts=v, merge_co=(0, 0, 0))",
        "bmesh.ops.bisect_plane(b, geom=v, plane_co=(0, 0, 0), plane_no=(1, 0, 0), clear_outer=True)",
        "bmesh.ops.remove_doubles(b, verts=v, dist=0.5)",
        "bmesh.ops.remove_doubles(b, verts=v, dist=len(v))",
        "bpy.ops.mesh.remove_doubles(threshold=1)",
        "bpy.ops.object.voxel_remesh()",
    ] {
        assert!(asked(call), "{call}");
    }
    for call in [
        "bmesh.ops.bisect_plane(b, geom=v, plane_co=(0, 0, 0), plane_no=(1, 0, 0), clear_outer=False)",
        "bmesh.ops.remove_doubles(b, verts=v, dist=0.0001)",
        "bpy.ops.mesh.remove_doubles()",
        "bmesh.ops.subdivide_edges(b, edges=b.edges[:], cuts=1)",
    ] {
        assert!(!asked(call), "{call}");
    }
}

#[test]
fn members_that_only_listed_types_have_are_known() {
    for source in [
        "import random\nr = random.Random(3)\nprint(r.expovariate(0.4), r.gammavariate(1, 2))\n",
        "import numpy as np\nprint(np.random.default_rng(1).standard_t(3))\n",
    ] {
        let verdict = check(source, "5.2");
        assert!(verdict.ok, "{source}: {:?}", verdict.findings);
    }
    let verdict = check("import numpy as np\nprint(np.zeros(2).dtype.fields)\n", "5.2");
    assert!(!verdict.ok);
}

#[test]
fn code_that_removes_data_is_asked_about_under_any_name() {
    for script in [
        "import bpy\ndata = bpy.data.objects\ndata.remove(data[0])\n",
        "import bpy\nfor kind in (bpy.data.meshes, bpy.data.curves):\n    for one in list(kind):\n        kind.remove(one)\n",
        "import bpy\nlist(map(bpy.data.meshes.remove, list(bpy.data.meshes)))\n",
        "import bpy\ngone = bpy.data.objects.remove\ngone(bpy.data.objects[0])\n",
        "import bpy\nfor name in ('meshes', 'curves'):\n    kind = getattr(bpy.data, name)\n    kind.remove(kind[0])\n",
        "import bpy\nop = bpy.ops.object.delete\nop()\n",
        "import bpy\nfor name in ('delete', 'join'):\n    getattr(bpy.ops.object, name)()\n",
        "import bpy\nfor name in ('lete',):\n    getattr(bpy.ops.object, f'de{name}')()\n",
        "import bpy\nbpy.ops.outliner.orphans_purge()\n",
        "import bpy\nfor one in bpy.data.objects:\n    one.user_clear()\n",
        "import bpy\nbpy.data.objects[0].data.uv_layers.remove(bpy.data.objects[0].data.uv_layers[0])\n",
        "import bpy\nlinks = bpy.data.materials[0].node_tree.links\nlinks.clear()\n",
        "import bpy\nbpy.data.meshes[0].materials.pop()\n",
        "import bpy\nbpy.ops.object.convert(target='MESH')\n",
        "import bpy\nbpy.ops.mesh.uv_texture_remove()\n",
        "import bpy, bmesh\nb = bmesh.from_edit_mesh(bpy.data.meshes[0])\nbmesh.ops.delete(b, geom=b.faces[:])\n",
        "import bpy, bmesh\nb = bmesh.from_edit_mesh(bpy.data.meshes[0])\nb.faces.remove(list(b.faces)[0])\n",
    ] {
        let verdict = check(script, "5.2");
        assert!(verdict.ok && !verdict.asks.is_empty(), "{script}{verdict:?}");
    }
    for harmless in [
        "import bpy\nitems = [1, 2]\nitems.remove(1)\nop = bpy.ops.mesh.primitive_cube_add\nop(size=1)\n",
        "import bmesh\nb = bmesh.new()\nbmesh.ops.create_grid(b)\nbmesh.ops.delete(b, geom=b.faces[:2])\n",
        "import bpy\nm = bpy.data.meshes.new('m')\nm.uv_layers.new()\nm.uv_layers.remove(m.uv_layers[0])\n",
        "import bpy\nbpy.ops.mesh.remove_doubles()\n",
    ] {
        assert!(check(harmless, "5.2").asks.is_empty(), "{harmless}");
    }
}

#[test]
fn removing_nodes_of_a_tree_that_may_be_the_artists_is_asked_about() {
    let of = |tree: &str| {
        let verdict = check(&format!("import bpy\n{tree}"), "5.2");
        assert!(verdict.ok, "{tree}{verdict:?}");
        verdict.asks.iter().map(|ask| ask.code.as_str()).collect::<Vec<_>>()
    };
    for script in [
        "bpy.data.materials['M'].node_tree.nodes.clear()\n",
        "nodes = bpy.data.materials['M'].node_tree.nodes\nnodes.remove(nodes[0])\n",
        "def build(tree):\n    tree.nodes.clear()\nbuild(bpy.data.node_groups[0])\n",
        "m = bpy.data.materials.get('M')\nif m is None:\n    m = bpy.data.materials.new('M')\nm.node_tree.nodes.clear()\n",
    ] {
        assert_eq!(of(script), ["script_removes_nodes"], "{script}");
    }
    for script in [
        "m = bpy.data.materials.new('M')\nm.use_nodes = True\nm.node_tree.nodes.clear()\n",
        "m = bpy.data.materials.new('M')\ntree = m.node_tree\nnodes = tree.nodes\nnodes.clear()\n",
        "g = bpy.data.node_groups.new('G', 'GeometryNodeTree')\nfor n in list(g.nodes):\n    g.nodes.remove(n)\n",
        "nodes = [1, 2]\nnodes.clear()\n",
    ] {
        assert!(of(script).is_empty(), "{script}");
    }
}

/// A class of a script may define any attribute; attributes of Python or Blender with that name stay out of reach.
#[test]
fn own_attributes_give_no_access() {
    for script in [
        "class A:\n    mro = 1\nprint(ValueError.mro())\n",
        "class A:\n    gi_frame = 1\ndef g():\n    yield 1\nprint(g().gi_frame)\n",
        "class E(Exception):\n    pass\nfor E in [ValueError]:\n    pass\ntry:\n    pass\nexcept E:\n    pass\n",
    ] {
        assert!(!check(script, "5.2").ok, "{script}");
    }
    let class = "import bpy\nclass A:\n    def __init__(self):\n        self.save, self.__kept = 1, 2\n";
    let verdict = check(&format!("{class}a = A()\nprint(a.save)\n"), "5.2");
    assert!(
        verdict.ok && verdict.own.contains(&"_A__kept".to_owned()),
        "{verdict:?}"
    );
    assert!(!check(&format!("{class}bpy.data.images[0].save()\n"), "5.2").ok);
    assert!(!check(&format!("{class}[print][0].save\n"), "5.2").ok);
}

#[test]
fn names_differ_by_version() {
    let script = "import bpy\nbpy.context.object.data.use_auto_smooth = True\n";
    assert!(!check(script, "4.2").ok && !check(script, "5.2").ok);
    let newer = "import bpy\nbpy.context.object.animation_data.action_slot = None\n";
    assert!(!check(newer, "4.2").ok);
    assert!(check(newer, "4.5").ok, "{:?}", check(newer, "4.5"));
}

/// Nothing that fits into a script may take long; generous, because tests share the machine.
#[test]
fn worst_case_scripts_are_checked_quickly() {
    let full = |unit: &str| unit.repeat(20_000 / unit.chars().count());
    let inputs = [
        full("("),
        full("[]"),
        full("-"),
        full("~1;"),
        full("not "),
        full("x."),
        full("f'{"),
        full("f'''{"),
        full("\"'"),
        full("lambda:"),
        full("a=\n"),
        full("unknown.attribute_name\n"),
        full("import a\n"),
        full("1+"),
        full("if 1:\n "),
        full("@a\n"),
        full("{{}}"),
        full("\\\n"),
        full("é"),
        full("x = 'é'\n"),
        full("bpy.ops.mesh.xyz()\n"),
        full("match x:\n case _: pass\n"),
        format!("x = {}1", "9".repeat(290)),
    ];
    for input in inputs {
        let start = Instant::now();
        let verdict = check(&input, "5.2");
        assert!(
            start.elapsed() < Duration::from_secs(2),
            "{:?}: {:?}",
            start.elapsed(),
            input.chars().take(30).collect::<String>()
        );
        assert!(
            !verdict.ok || input.starts_with("x = "),
            "{:?}",
            input.chars().take(30).collect::<String>()
        );
    }
}

#[test]
fn scripts_longer_than_a_step_are_refused_unread() {
    let verdict = check(&"(".repeat(200_000), "5.2");
    assert_eq!(verdict.findings[0].code, Code::PythonTooLong);
}
