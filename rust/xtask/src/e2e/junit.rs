//! The report as `JUnit` XML, which continuous integration reads.

use std::io::Cursor;

use anyhow::Result;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

use super::page;
use super::records::{Outcome, Record, Report};

/// The report as XML.
///
/// # Errors
/// None in practice: it is written into memory.
pub(crate) fn of(report: &Report) -> Result<String> {
    let mut xml = Writer::new_with_indent(Cursor::new(Vec::new()), b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let ran = report.manifests.len();
    let skipped = report.count(Outcome::NotRun);
    let failures = report.count(Outcome::Failed);
    let errors = report.failed() - failures - skipped;
    let mut suite = BytesStart::new("testsuite");
    for (name, value) in [
        ("name", clean(&report.head.blender)),
        ("tests", ran.to_string()),
        ("failures", failures.to_string()),
        ("errors", errors.to_string()),
        ("skipped", skipped.to_string()),
        ("time", format!("{:.3}", report.seconds)),
    ] {
        suite.push_attribute((name, value.as_str()));
    }
    xml.write_event(Event::Start(BytesStart::new("testsuites")))?;
    xml.write_event(Event::Start(suite))?;
    for record in &report.manifests {
        case(&mut xml, record)?;
    }
    xml.write_event(Event::End(BytesEnd::new("testsuite")))?;
    xml.write_event(Event::End(BytesEnd::new("testsuites")))?;
    Ok(String::from_utf8(xml.into_inner().into_inner())? + "\n")
}

fn case(xml: &mut Writer<Cursor<Vec<u8>>>, record: &Record) -> Result<()> {
    let mut case = BytesStart::new("testcase");
    let file = record.key.split(" #").next().unwrap_or(&record.key);
    for (name, value) in [
        (
            "classname",
            clean(file.strip_suffix(".json").unwrap_or(file)).replace('/', "."),
        ),
        ("name", clean(&record.name())),
        ("file", clean(file)),
        ("time", format!("{:.3}", record.seconds)),
    ] {
        case.push_attribute((name, value.as_str()));
    }
    xml.write_event(Event::Start(case))?;
    let kind = match record.outcome {
        Outcome::Passed => None,
        Outcome::Failed => Some("failure"),
        Outcome::NotRun => Some("skipped"),
        Outcome::Error | Outcome::Crashed | Outcome::TimedOut | Outcome::OutOfMemory => Some("error"),
    };
    if let Some(kind) = kind {
        let lines = why(record);
        let mut element = BytesStart::new(kind);
        element.push_attribute((
            "message",
            lines.first().map(|line| clean(line)).unwrap_or_default().as_str(),
        ));
        if kind != "skipped" {
            element.push_attribute(("type", record.outcome.word()));
        }
        text(xml, element, &lines.join("\n"))?;
    }
    if let Some(said) = page::final_message(record) {
        text(xml, BytesStart::new("system-out"), said)?;
    }
    if !record.printed.is_empty() {
        text(xml, BytesStart::new("system-err"), &record.printed)?;
    }
    xml.write_event(Event::End(BytesEnd::new("testcase")))?;
    Ok(())
}

fn text(xml: &mut Writer<Cursor<Vec<u8>>>, element: BytesStart<'_>, text: &str) -> Result<()> {
    let end = element.to_end().into_owned();
    xml.write_event(Event::Start(element))?;
    xml.write_event(Event::Text(BytesText::new(&clean(text))))?;
    xml.write_event(Event::End(end))?;
    Ok(())
}

/// Why it did not pass, a line each.
fn why(record: &Record) -> Vec<String> {
    let checks = page::failed_checks(record);
    let checks = checks
        .iter()
        .map(|check| format!("{}: {}, expected {}", check.name, check.actual, check.expected));
    let messages = page::messages(record);
    let messages = messages
        .iter()
        .filter(|message| message.severity == "error")
        .map(|message| format!("[{}] {}", message.code, message.text));
    record.cause.iter().cloned().chain(checks).chain(messages).collect()
}

/// Text without the characters that XML cannot hold, however they are escaped.
fn clean(text: &str) -> String {
    let held = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    text.chars().map(|c| if held(c) { c } else { '\u{fffd}' }).collect()
}

#[cfg(test)]
mod tests {
    use quick_xml::Reader;
    use serde_json::json;

    use super::super::records::tests::{head, passed};
    use super::*;

    #[test]
    fn every_outcome_is_counted_and_explained() {
        let mut failed = passed("manifests/b.json");
        failed.outcome = Outcome::Failed;
        failed.report = json!({"name": "b <&> \"b\"", "checks": [
            {"name": "instances of Cube", "ok": false, "expected": 12, "actual": 11},
            {"name": "status", "ok": true, "expected": "done", "actual": "done"},
        ], "run": {"final_message": "Made\u{0}\u{1b}[2K ]]> it.", "messages": []}});
        let mut crashed = Record::stopped(
            "manifests/c.json",
            Outcome::Crashed,
            2.0,
            "Blender crashed: SIGSEGV.".into(),
        );
        crashed.printed = "<backtrace>".into();
        let report = Report {
            head: head(&[]),
            seconds: 4.5,
            complete: false,
            notes: Vec::new(),
            manifests: vec![
                passed("manifests/a.json"),
                failed,
                crashed,
                Record::stopped(
                    "manifests/d.json #2",
                    Outcome::NotRun,
                    0.0,
                    "The run ended before it began.".into(),
                ),
            ],
        };
        let xml = of(&report).unwrap();
        assert!(
            xml.contains(r#"tests="4" failures="1" errors="1" skipped="1" time="4.500""#),
            "{xml}"
        );
        assert!(
            xml.contains(r#"<testcase classname="manifests.a" name="a" file="manifests/a.json" time="1.500">"#),
            "{xml}"
        );
        assert!(
            xml.contains(r#"<failure message="instances of Cube: 11, expected 12" type="FAILED">"#),
            "{xml}"
        );
        assert!(
            xml.contains(r#"<error message="Blender crashed: SIGSEGV." type="CRASHED">"#),
            "{xml}"
        );
        assert!(
            xml.contains("&lt;backtrace&gt;") && xml.contains("name=\"d #2\""),
            "{xml}"
        );
        assert!(xml.chars().all(|c| c >= ' ' || c == '\n'), "{xml:?}");
        // It can be read again, to its end.
        let mut reader = Reader::from_str(&xml);
        let mut cases = 0;
        loop {
            match reader.read_event().unwrap() {
                Event::Start(start) if start.name().as_ref() == "testcase" => cases += 1,
                Event::Eof => break,
                _ => {}
            }
        }
        assert_eq!(cases, 4);
    }
}
