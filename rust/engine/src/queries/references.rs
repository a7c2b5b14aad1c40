//! References of settings, policies and models, generated from what the program itself uses.

use std::fmt::Write as _;

use geonode_provider::policy::Stage;
use geonode_provider::{ModelInfo, Prices, models};

use crate::settings::{Setting, Settings};

/// Head of a reference: its title, its subject, and how it is generated.
fn head(title: &str, about: &str) -> String {
    format!("# {title}\n\n{about}\nGenerated from the program (`cargo xtask schemas`); do not edit.\n")
}

/// All settings of a run, as Markdown.
pub fn settings_reference() -> String {
    let mut text = head(
        "Settings",
        "The `settings` of `api.run(…)` and `api.start(…)`; the meaning of each names its unit.\nA value outside its range is refused before anything starts. `null` is “not set”.\n\
         The preferences of the add-on are in [preferences.md](preferences.md).",
    );
    text.push_str("\n| setting | type | default | range | meaning |\n|---|---|---|---|---|\n");
    for setting in Settings::describe() {
        let _ = writeln!(
            text,
            "| `{}` | {} | `{}` | {} | {} |",
            setting.name,
            setting.kind,
            setting.default,
            range(&setting),
            cell(setting.doc),
        );
    }
    text
}

fn range(setting: &Setting) -> String {
    match (setting.min, setting.max) {
        (Some(min), Some(max)) => format!("{min} to {max}"),
        _ if !setting.words.is_empty() => setting
            .words
            .iter()
            .map(|word| word.name)
            .collect::<Vec<_>>()
            .join(", "),
        _ if setting.default.is_boolean() => "true, false".to_owned(),
        _ => String::new(),
    }
}

/// Text of one table cell.
fn cell(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace('|', "\\|")
}

/// The policies of a request, in their order, as Markdown.
pub fn policies_reference() -> String {
    let mut text = head(
        "Policies",
        "Every request to a model passes these, in this order, before it is encoded. A policy that *refuses* ends the request with its \
         code; with the setting\n`policy_log_only` it only reports what it would have refused. Findings of the others become messages \
         with their codes and change nothing else.\nEvery refusal and every secret that was found is a security event: it is counted \
         and recorded in the audit log. Events name policies, origins and sizes,\nnever content.",
    );
    text.push_str("\n| order | policy | what it does | refuses | codes |\n|---|---|---|---|---|\n");
    for (place, stage) in Stage::ORDER.into_iter().enumerate() {
        let name = serde_json::to_value(stage).unwrap_or_default();
        let codes: Vec<String> = stage.codes().iter().map(|code| format!("`{code}`")).collect();
        let _ = writeln!(
            text,
            "| {} | `{}` | {} | {} | {} |",
            place + 1,
            name.as_str().unwrap_or_default(),
            cell(stage.about()),
            if stage.refuses() { "yes" } else { "no" },
            if codes.is_empty() {
                "none".to_owned()
            } else {
                codes.join(", ")
            },
        );
    }
    text
}

/// The registry of models, as Markdown.
pub fn models_reference() -> String {
    let mut text = head(
        "Models",
        "What is known about language models. *Not known* refuses nothing, and nothing is computed from it; a model that is not listed can \
         be used as well.\nAn entry also covers its names with a date, a number of three digits or more, or `latest` after a dash; \
         with … it covers every name that begins like this.\nPrices are US dollars for a million tokens: input / input from the provider's cache / \
         input written to it / output. They change; the settings\n`input_price` and `output_price` take precedence. *As of* is the day \
         on which the source was read.",
    );
    let mut provider = "";
    for info in models() {
        if info.provider != provider {
            provider = &info.provider;
            let _ = write!(
                text,
                "\n## `{provider}`\n\n| names | context | reply | structured output | tools | pictures | streaming | prices | source, as of |\n\
                 |---|---|---|---|---|---|---|---|---|\n"
            );
        }
        let names = info
            .ids
            .iter()
            .map(|id| format!("`{id}`{}", if info.family { "…" } else { "" }));
        let (source, as_of) = info.source();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {}, {as_of} |",
            names.collect::<Vec<_>>().join(" "),
            number(info.context_tokens),
            number(info.output_tokens),
            word(info.structured_output),
            word(info.tools),
            word(info.images),
            word(info.streaming),
            prices(info),
            cell(source),
        );
    }
    text
}

const NOT_KNOWN: &str = "not known";

fn number(tokens: Option<u64>) -> String {
    tokens.map_or_else(|| NOT_KNOWN.to_owned(), |tokens| tokens.to_string())
}

fn word(can: Option<bool>) -> &'static str {
    match can {
        Some(true) => "yes",
        Some(false) => "no",
        None => NOT_KNOWN,
    }
}

fn prices(info: &ModelInfo) -> String {
    let Some(Prices {
        input,
        cached,
        cache_write,
        output,
    }) = info.prices
    else {
        return NOT_KNOWN.to_owned();
    };
    let part = |price: Option<f64>| price.map_or_else(|| NOT_KNOWN.to_owned(), |price| price.to_string());
    let mut text = format!("{input} / {} / {} / {output}", part(cached), part(cache_write));
    if let Some(limit) = info.priced_to {
        let _ = write!(text, ", up to {limit} tokens of input; beyond that {NOT_KNOWN}");
    }
    text
}
