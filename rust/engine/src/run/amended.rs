//! Replies that change only some lines of the page before them: `# line 4`, `# lines 4-6` or `# after line 9`, each followed by the lines
//! that stand there now. From then on the reply is the whole page, for the run, for what is saved, and for the model.

use std::ops::Range;

use geonode_text::page_in;
use serde_json::Value;

/// The reply with whole pages in place of lines that change; none where it has no such lines, or they fit no page of the reply before.
pub(crate) fn whole(reply: &str, before: &str) -> Option<String> {
    if let Ok(mut plan) = serde_json::from_str::<Value>(reply) {
        let mut any = false;
        for step in plan.get_mut("steps")?.as_array_mut()? {
            let id = step.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
            let Some(text) = step.pointer_mut("/payload/text") else {
                continue;
            };
            let Some(changes) = text.as_str().and_then(changes) else {
                continue;
            };
            *text = amended(&page_of(before, &id)?, &changes)?.into();
            any = true;
        }
        return any.then(|| plan.to_string());
    }
    let changes = changes(inside(reply))?;
    if let Some(page) = page_in(before) {
        return Some(format!("```python\n{}\n```", amended(page, &changes)?));
    }
    let mut plan = serde_json::from_str::<Value>(before).ok()?;
    let mut texts = plan
        .get_mut("steps")?
        .as_array_mut()?
        .iter_mut()
        .filter_map(|step| step.pointer_mut("/payload/text"));
    let text = texts.next()?;
    if texts.next().is_some() {
        return None;
    }
    *text = amended(text.as_str()?, &changes)?.into();
    Some(plan.to_string())
}

/// The page of the step with this ID in an earlier reply, or its only one.
fn page_of(before: &str, id: &str) -> Option<String> {
    if let Some(page) = page_in(before) {
        return Some(page.to_owned());
    }
    let plan: Value = serde_json::from_str(before).ok()?;
    let steps = plan.get("steps")?.as_array()?;
    let text = |step: &Value| step.pointer("/payload/text").and_then(Value::as_str).map(str::to_owned);
    let mut named = steps
        .iter()
        .filter(|step| step.get("id").is_some_and(|known| known == id));
    named.find_map(text).or_else(|| {
        let mut texts = steps.iter().filter_map(text);
        texts.next().filter(|_| texts.next().is_none())
    })
}

/// What stands in a reply's only fence; all of it where there is none.
fn inside(reply: &str) -> &str {
    let parts: Vec<&str> = reply.split("```").collect();
    match parts.as_slice() {
        [_, fenced, _] => fenced.split_once('\n').map_or("", |(_, body)| body),
        _ => reply,
    }
}

/// Lines of a page, counted from 0, and what stands in their place.
type Change<'t> = (Range<usize>, Vec<&'t str>);

/// The changes that a text consists of; none where it is anything else.
fn changes(text: &str) -> Option<Vec<Change<'_>>> {
    let mut changes: Vec<Change<'_>> = Vec::new();
    for line in text.trim_matches(['\n', '\r']).lines() {
        match (place(line), changes.last_mut()) {
            (Some(place), _) => changes.push((place, Vec::new())),
            (None, Some((_, lines))) => lines.push(line),
            (None, None) => return None,
        }
    }
    (!changes.is_empty()).then_some(changes)
}

/// The lines that a heading names.
fn place(line: &str) -> Option<Range<usize>> {
    let words = line.trim().strip_prefix('#')?.trim().trim_end_matches(':');
    if let Some(after) = words.strip_prefix("after line ") {
        let at = after.trim().parse().ok()?;
        return Some(at..at);
    }
    let numbers = words.strip_prefix("lines ").or_else(|| words.strip_prefix("line "))?;
    let (first, last) = numbers.split_once(['-', '–']).unwrap_or((numbers, numbers));
    let (first, last) = (first.trim().parse::<usize>().ok()?, last.trim().parse::<usize>().ok()?);
    (first > 0 && first <= last).then(|| first - 1..last)
}

/// The page with these changes; none where they overlap, or it is shorter.
fn amended(page: &str, changes: &[Change<'_>]) -> Option<String> {
    let lines: Vec<&str> = page.lines().collect();
    let mut order: Vec<&Change<'_>> = changes.iter().collect();
    order.sort_by_key(|(place, _)| (place.start, place.end));
    let mut out: Vec<&str> = Vec::new();
    let mut at = 0;
    for (place, new) in order {
        out.extend(lines.get(at..place.start)?);
        lines.get(place.clone())?;
        out.extend(new);
        at = place.end;
    }
    out.extend(lines.get(at..)?);
    Some(out.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PAGE: &str =
        "```python\ndef a(geometry: Geometry) -> Geometry:\n    b = cub()\n    c = cone()\n    return b\n```";

    #[test]
    fn changed_lines_take_the_place_of_those_that_they_name() {
        let changed = "# line 2\n    b = cube()\n\n# after line 3\n    d = grid()\n";
        let page =
            "def a(geometry: Geometry) -> Geometry:\n    b = cube()\n\n    c = cone()\n    d = grid()\n    return b";
        let fenced = format!("```python\n{changed}```");
        for reply in [changed, fenced.as_str()] {
            assert_eq!(whole(reply, PAGE).unwrap(), format!("```python\n{page}\n```"));
        }
        let gone = whole("# lines 2-3", PAGE).unwrap();
        assert_eq!(
            gone,
            "```python\ndef a(geometry: Geometry) -> Geometry:\n    return b\n```"
        );
    }

    #[test]
    fn pages_within_plans_are_changed_by_the_id_of_their_step() {
        let plan = |texts: &[(&str, &str)]| {
            let steps: Vec<Value> = texts
                .iter()
                .map(|(id, text)| json!({"id": id, "type": "NODE_TREE", "payload": {"text": text}}))
                .collect();
            json!({"version": "1.2", "steps": steps}).to_string()
        };
        let before = plan(&[("s1", "def a():\n    b = cub()"), ("s2", "def c():\n    d = cone()")]);
        let reply = plan(&[("s1", "# line 2\n    b = cube()"), ("s2", "def c():\n    d = cone()")]);
        let wanted = plan(&[("s1", "def a():\n    b = cube()"), ("s2", "def c():\n    d = cone()")]);
        assert_eq!(whole(&reply, &before).unwrap(), wanted);
        // A plan with one page may be changed by a fence alone, and a page by a plan.
        let one = plan(&[("s1", "def a():\n    b = cub()")]);
        let wanted = plan(&[("s1", "def a():\n    b = cube()")]);
        assert_eq!(whole("# line 2\n    b = cube()", &one).unwrap(), wanted);
        let page = "def a():\n    b = cub()";
        assert_eq!(
            whole(&plan(&[("x", "# line 2\n    b = cube()")]), page).unwrap(),
            plan(&[("x", "def a():\n    b = cube()")])
        );
    }

    #[test]
    fn anything_else_stays_as_it_is() {
        for reply in [
            "",
            "def a():\n    # line 2\n    b = cube()",
            "# line 0\nx",
            "# line 9\nx",
            "# lines 2-3\nx\n# line 3\ny",
            "# lines 3-2\nx",
            "# line two\nx",
            "# line 99999999999999999999999\nx",
            "{\"steps\": []}",
            "{\"steps\": 3}",
            "[1]",
        ] {
            assert_eq!(whole(reply, PAGE), None, "{reply}");
        }
        assert_eq!(whole("# line 1\nx", "no page"), None);
        assert_eq!(whole("# line 1\nx", "{\"steps\": []}"), None);
    }
}
