//! Each reason to refuse a script has its own code.

use geonode_protocol::Code;
use geonode_script::check;

#[test]
fn each_kind_of_refusal_has_its_code() {
    let deep = format!("x = {}1{}\n", "(".repeat(500), ")".repeat(500));
    let cases: [(&str, Code); 11] = [
        ("import bpy\nx = getattr(bpy.data, 'obj' + 'ects')\n", Code::ScriptCall),
        ("class A(metaclass=int):\n    pass\n", Code::ScriptClass),
        ("while True:\n    pass\n", Code::ScriptEndless),
        ("try:\n    x = 1\nexcept:\n    pass\n", Code::ScriptException),
        ("x = '{0.real}'.format(1)\n", Code::ScriptFormat),
        (deep.as_str(), Code::ScriptLimit),
        ("import bpy\nx = bpy\n", Code::ScriptModule),
        (
            "import bpy\nbpy.data.node_groups[0].nodes.new('GeometryNodeImportSTL')\n",
            Code::ScriptNode,
        ),
        ("x = [0] * 10 ** 12\n", Code::ScriptSize),
        ("async def f():\n    pass\n", Code::ScriptStatement),
        ("import bpy\nx = bpy.types.Object\n", Code::ScriptType),
    ];
    for (source, code) in cases {
        let verdict = check(source, "5.2");
        assert!(!verdict.ok, "{source}");
        let codes: Vec<Code> = verdict.findings.iter().map(|finding| finding.code).collect();
        assert!(codes.contains(&code), "{source}\n{codes:?}");
    }
}
