//! The `replay` provider: recorded replies in their order.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use super::common::hello;
use geonode_protocol::Code;
use geonode_provider::{Client, ClientConfig, FinishReason, Provider, ProviderError, StreamEvent};

fn recording(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.json"));
    std::fs::write(&path, text).unwrap();
    path
}

fn open(path: &std::path::Path) -> Result<Client, ProviderError> {
    let base_url = Some(path.to_str().unwrap().to_owned());
    Client::new(ClientConfig {
        base_url,
        ..ClientConfig::new(Provider::Replay)
    })
}

#[test]
fn replies_come_in_their_order_and_end() {
    let path = recording(
        "order",
        r#"{"replay": 1, "model": "rec", "replies": [
            {"json": {"version": "1.1", "steps": []}, "usage": {"input_tokens": 3}},
            {"error": "rate_limited", "message": "slow down"},
            {"text": "one\ntwo", "finish_reason": "truncated"}]}"#,
    );
    let client = open(&path).unwrap();
    let first = client.send(&hello()).unwrap();
    assert_eq!(first.text, r#"{"version":"1.1","steps":[]}"#);
    assert_eq!(
        (first.model.as_str(), first.usage.unwrap().input_tokens),
        ("rec", Some(3))
    );
    assert_eq!(client.send(&hello()).unwrap_err().code(), Code::RateLimited);
    let events: Vec<_> = client.stream(hello()).unwrap().map(Result::unwrap).collect();
    assert_eq!(events.len(), 3);
    assert!(matches!(
        &events[2],
        StreamEvent::End {
            finish_reason: FinishReason::Truncated,
            ..
        }
    ));
    let error = client.send(&hello()).unwrap_err();
    assert_eq!(error.code(), Code::BadResponse);
    assert!(error.to_string().contains("3 replies"), "{error}");
}

#[test]
fn a_delay_can_be_cancelled() {
    let path = recording(
        "delay",
        r#"{"replay": 1, "replies": [{"text": "late", "delay_ms": 20000}, {"text": "next"}]}"#,
    );
    let client = open(&path).unwrap();
    let waiting = {
        let client = client.clone();
        thread::spawn(move || client.send(&hello()))
    };
    thread::sleep(Duration::from_millis(100));
    client.cancel();
    assert_eq!(waiting.join().unwrap().unwrap_err(), ProviderError::Cancelled);
    assert_eq!(client.send(&hello()).unwrap().text, "next");
}

#[test]
fn damaged_recordings_are_named_when_opened() {
    for (name, text) in [
        ("not_json", "hello"),
        ("version", r#"{"replay": 2, "replies": []}"#),
        ("unknown_field", r#"{"replay": 1, "replies": [{"txt": "x"}]}"#),
        ("two_kinds", r#"{"replay": 1, "replies": [{"text": "x", "json": {}}]}"#),
        ("unknown_error", r#"{"replay": 1, "replies": [{"error": "sunspots"}]}"#),
    ] {
        let path = recording(name, text);
        let error = open(&path).unwrap_err();
        assert_eq!(error.code(), Code::SettingInvalid);
        assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
    }
    assert!(open(std::path::Path::new("/nonexistent/recording.json")).is_err());
}
