//! A server that repeats the key, in every text of every dialect's replies, streams and refusals, however it writes it.

use std::fmt::Debug;
use std::thread;

use super::common::{Server, events, hello, http, json};
use super::recorded::{self, spoken, text};
use geonode_provider::{Client, Provider, StreamEvent};
use serde_json::{Value, json as value};

/// The key of every client here, and what none of its forms may leave behind.
const KEY: &str = "sk-very-secret";
const REMAINS: [&str; 5] = [
    "very-secret",
    "very\\u002d",
    "very%2d",
    "766572792d736563",
    "XZlcnktc2Vjcm",
];

/// What a parser of JSON sees, and what it passes on.
fn forms() -> Vec<String> {
    vec![
        KEY.to_owned(),
        KEY.replace('-', "\\u002d"),
        KEY.replace('-', "%2D"),
        "736b2d766572792d736563726574".to_owned(),
        "QmVhcmVyIHNrLXZlcnktc2VjcmV0".to_owned(),
        KEY.to_uppercase(),
    ]
}

/// The document once for each of its texts and field names, with `word` in that place.
fn with_word(document: &Value, word: &str) -> Vec<Value> {
    let mut all = Vec::new();
    match document {
        Value::String(_) => all.push(Value::String(word.to_owned())),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                for changed in with_word(item, word) {
                    let mut items = items.clone();
                    items[index] = changed;
                    all.push(Value::Array(items));
                }
            }
        }
        Value::Object(fields) => {
            for (name, item) in fields {
                for changed in with_word(item, word) {
                    let mut fields = fields.clone();
                    fields[name] = changed;
                    all.push(Value::Object(fields));
                }
                let mut fields = fields.clone();
                let item = fields.shift_remove(name).unwrap();
                fields.insert(word.to_owned(), item);
                all.push(Value::Object(fields));
            }
        }
        _ => {}
    }
    all
}

#[track_caller]
fn assert_clean(provider: Provider, sent: &[u8], got: &impl Debug, shown: &str) {
    for seen in [format!("{got:?}"), shown.to_owned()] {
        let low = seen.to_lowercase();
        let left = REMAINS.iter().find(|word| low.contains(&word.to_lowercase()));
        assert!(
            left.is_none(),
            "{provider:?}: {seen}\n{}",
            String::from_utf8_lossy(sent)
        );
    }
}

/// Serves each answer once, and hands what the client made of it to the check.
fn each_answer(provider: Provider, answers: &[Vec<u8>], ask: impl Fn(&Client, &[u8])) {
    assert!(!answers.is_empty());
    let server = Server::script(answers.to_vec());
    let client = server.client_of(provider);
    for sent in answers {
        ask(&client, sent);
    }
    assert_eq!(server.seen().len(), answers.len());
}

fn for_every_dialect(check: impl Fn(Provider) + Sync) {
    thread::scope(|scope| {
        for provider in spoken() {
            let check = &check;
            scope.spawn(move || check(provider));
        }
    });
}

#[test]
fn no_text_of_a_whole_reply_carries_the_key() {
    for_every_dialect(|provider| {
        let whole: Value = serde_json::from_str(&recorded::reply(provider)).unwrap();
        let answers: Vec<_> = forms()
            .iter()
            .flat_map(|form| with_word(&whole, form))
            .map(|body| json("200 OK", &body.to_string()))
            .collect();
        each_answer(provider, &answers, |client, sent| match client.send(&hello()) {
            Ok(response) => assert_clean(provider, sent, &response, ""),
            Err(error) => assert_clean(provider, sent, &error, &error.to_string()),
        });
    });
}

#[test]
fn no_event_of_a_stream_carries_the_key() {
    for_every_dialect(|provider| {
        let whole = text(provider, "stream.sse");
        let mut answers = Vec::new();
        for form in forms() {
            for line in whole.lines() {
                let Some(Ok(data)) = line.strip_prefix("data: ").map(serde_json::from_str::<Value>) else {
                    continue;
                };
                for changed in with_word(&data, &form) {
                    answers.push(events(&whole.replacen(line, &format!("data: {changed}"), 1)));
                }
            }
        }
        each_answer(provider, &answers, |client, sent| {
            let mut text = String::new();
            for event in client.stream(hello()).unwrap() {
                match &event {
                    Ok(StreamEvent::Text { text: more }) => text += more,
                    Err(error) => assert_clean(provider, sent, error, &error.to_string()),
                    Ok(_) => {}
                }
                assert_clean(provider, sent, &event, "");
            }
            assert_clean(provider, sent, &text, "");
        });
    });
}

#[test]
fn no_refusal_carries_the_key() {
    for_every_dialect(|provider| {
        let mut answers = Vec::new();
        for form in forms() {
            let quoted = Value::String(form.clone()).to_string();
            for body in [
                value!({"error": {"message": form, "type": form, "code": form, "status": form}}).to_string(),
                value!({"error": form}).to_string(),
                value!([{"error": {"message": form}}]).to_string(),
                value!({"detail": [{"msg": form}]}).to_string(),
                format!("{{\"error\": {{{quoted}: 1}}}}"),
                format!("not JSON: {quoted}"),
                format!("{}{form}", "x".repeat(290)),
            ] {
                for status in [
                    "400 Bad Request",
                    "401 Unauthorized",
                    "404 Not Found",
                    "500 Server Error",
                ] {
                    answers.push(json(status, &body));
                }
                answers.push(json("200 OK", &body));
                answers.push(events(&format!("data: {body}\n\n")));
            }
            let told: String = form.chars().filter(|c| *c != '\\').collect();
            let type_ = format!("content-type: text/{form}\r\n");
            answers.push(http("200 OK", &type_, "x"));
            answers.push(http(
                "400 Bad Request",
                &format!("content-type: application/json\r\nx-request-id: {form}\r\n"),
                "{}",
            ));
            answers.push(http(
                "307 Temporary Redirect",
                &format!("location: https://other.example/{told}\r\n"),
                "",
            ));
        }
        each_answer(provider, &answers, |client, sent| {
            let error = client.send(&hello()).unwrap_err();
            assert_clean(provider, sent, &error, &error.to_string());
        });
        each_answer(provider, &answers, |client, sent| {
            for event in client.stream(hello()).unwrap() {
                let shown = event.as_ref().err().map(ToString::to_string).unwrap_or_default();
                assert_clean(provider, sent, &event, &shown);
            }
        });
    });
}

#[test]
fn artist_is_told_once_that_a_reply_repeated_the_key() {
    for provider in spoken() {
        let body =
            recorded::reply(provider).replace(recorded::HELLO, "It is sk-very-secret, as \\\\u0073k-very-secret.");
        let client_of = |answer: Vec<u8>| Server::always(answer).client_of(provider);
        let response = client_of(json("200 OK", &body)).send(&hello()).unwrap();
        assert_eq!(response.text, "It is ***, as ***.");
        let told = response
            .notices
            .iter()
            .filter(|notice| notice.code.as_str() == "secret_redacted");
        assert_eq!(told.count(), 1, "{provider:?}");
        let told = client_of(json("200 OK", &body)).stream(hello()).unwrap().filter(
            |event| matches!(event, Ok(StreamEvent::Notice { notice }) if notice.code.as_str() == "secret_redacted"),
        );
        assert_eq!(told.count(), 1, "{provider:?}");
    }
}
