//! All settings of a run: documented, with default and range, checked before anything starts. Nothing else is configurable.

mod kinds;

use geonode_protocol::Limits;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use self::kinds::Kind;
pub use self::kinds::{Scripts, Trials, Word};
use crate::error::EngineError;

/// The part of the preferences that shows a setting; each part keeps the order of the table below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    /// The treatment of plans: at the top, for every planner.
    Plans,
    /// How a model answers: below the choice of the model.
    Replies,
    /// Where the artist's words are sent and stored, and how much of the scene goes along.
    Data,
    /// How long and how often a model may think.
    Attempts,
    /// How many tokens, requests and how much money may be spent.
    Budget,
    /// How long a server is waited for.
    Waiting,
    /// Scripts and dry runs: how long, how large.
    Scripts,
    /// What is checked, and what has to be asked.
    Checks,
    /// The size of prompts and plans.
    Limits,
}

/// How the add-on's preferences show a setting. Blender stores what is chosen under the setting's name.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Preference {
    /// Its label, with its unit if it has one.
    pub title: &'static str,
    /// Its tooltip, without a final full stop.
    pub about: &'static str,
    /// Its section.
    pub section: Section,
    /// The value that it has once it is switched on, if it is off by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<f64>,
}

/// Description of one setting.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Setting {
    /// Name.
    pub name: &'static str,
    /// `integer`, `number`, `bool` or `word`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// What it does, with its unit.
    pub doc: &'static str,
    /// Value when it is not given; null: no limit, or left to the provider.
    pub default: Value,
    /// Minimum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Maximum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// The words that it accepts.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub words: &'static [Word],
    /// How the preferences show it.
    pub preference: Preference,
}

macro_rules! settings {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident: $kind:ty = $default:expr $(, $min:literal..=$max:literal)?
            => $section:ident, $title:literal, $about:literal $(, $start:literal)?;
    )+) => {
        /// Settings of a run.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        pub struct Settings {
            $($(#[doc = $doc])+ pub $name: $kind,)+
        }

        impl Default for Settings {
            fn default() -> Self {
                Self { $($name: $default,)+ }
            }
        }

        impl Settings {
            /// Every setting, in the order of the reference.
            pub fn describe() -> Vec<Setting> {
                let default = Self::default();
                vec![$({
                    #[allow(unused_mut, unused_assignments)]
                    let (mut min, mut max) = (None, None);
                    $((min, max) = (Some(f64::from($min)), Some(f64::from($max)));)?
                    Setting {
                        name: stringify!($name),
                        kind: <$kind as Kind>::NAME,
                        doc: concat!($($doc),+).trim_start(),
                        default: serde_json::to_value(&default.$name).unwrap_or_default(),
                        min,
                        max,
                        words: <$kind as Kind>::WORDS,
                        preference: Preference {
                            title: $title,
                            about: $about,
                            section: Section::$section,
                            start: [$($start)?].first().copied(),
                        },
                    }
                },)+]
            }

            fn set(&mut self, name: &str, value: &Value) -> Result<(), String> {
                match name {
                    $(stringify!($name) => {
                        let new = <$kind as Kind>::read(value).ok_or_else(|| {
                            format!("The setting “{name}” must be {}, not {value}.", <$kind as Kind>::WANTED)
                        })?;
                        $(if let Some(number) = new.number()
                            && !(f64::from($min)..=f64::from($max)).contains(&number)
                        {
                            return Err(format!("The setting “{name}” must be from {} to {}, not {value}.", $min, $max));
                        })?
                        self.$name = new;
                        Ok(())
                    })+
                    _ => {
                        let names = [$(stringify!($name)),+];
                        let near = nearest(name, &names).map(|n| format!(" Did you mean “{n}”?")).unwrap_or_default();
                        Err(format!("There is no setting “{name}”.{near}"))
                    }
                }
            }
        }
    };
}

// Each ends with its section in the preferences, its label and its tooltip; one that is off by default also with the value that it has
// when it is switched on.
settings! {
    /// Most characters of a prompt.
    max_prompt_chars: u64 = 20_000, 1..=1_000_000
        => Limits, "Longest Prompt (Characters)", "Most characters of a prompt";
    /// Further attempts after a refused plan or failed gates.
    retries: u64 = 2, 0..=10
        => Attempts, "Further Attempts", "How often a model may try again after a plan that was refused or a result that failed its checks";
    /// Requests to the model other than retries: context requests, tool calls and turns with `done: false`.
    max_iterations: u64 = 8, 0..=50
        => Attempts, "Questions of the Model", "How often a model may look at the scene or ask for more before it has to answer";
    /// Whether models may call tools before they plan.
    tools: bool = true
        => Attempts, "Let It Look Around", "Models may look at objects, trees and the documentation of nodes before they plan";
    /// Whether models that call the tool `picture` get pictures of the scene. Only for models that can see.
    send_pictures: bool = false
        => Data, "Send Pictures of the Scene", "A model that asks for a picture gets one. Only for models that can see";
    /// Limit on the tokens of all requests of a run together; no request is made beyond it; null: no limit.
    max_run_tokens: Option<u64> = None, 1..=2_000_000_000
        => Budget, "Tokens of a Prompt", "No further request is made once a prompt has used so many tokens", 100_000.0;
    /// Seconds that a run may spend on requests and tools, not counting the time spent waiting for the artist; null: no limit.
    max_run_s: Option<f64> = None, 1..=86_400
        => Budget, "Seconds of a Prompt", "Longest time that a prompt may take, without the time in which it waits for you", 300.0;
    /// Limit on the cost of all requests of a run together, in the currency of the prices; no request is made beyond it; null: no limit.
    max_run_cost: Option<f64> = None, 0..=1_000_000
        => Budget, "Cost of a Prompt (US Dollars)", "No further request is made once a prompt has cost so much, in US dollars or your own currency", 1.0;
    /// Price of a million tokens sent; null: the price in the registry of models, in US dollars, if it lists the model.
    input_price: Option<f64> = None, 0..=1_000_000
        => Budget, "Price of a Million Tokens Sent", "In US dollars or another currency, instead of the known one. Tokens that are sent", 1.0;
    /// Price of a million tokens received; null: the price in the registry of models, in US dollars, if it lists the model.
    output_price: Option<f64> = None, 0..=1_000_000
        => Budget, "Price of a Million Tokens Received", "In US dollars or another currency, instead of the known one. Tokens that are received", 1.0;
    /// Limit of each attempt to reach the provider, and of the wait between pieces of a stream, in seconds.
    timeout_s: f64 = 120.0, 1..=600
        => Waiting, "Wait for an Answer (Seconds)", "Seconds until an attempt to reach the model is given up, also between two pieces of an answer";
    /// Limit of the wait for the first piece of a reply from a server on this computer, where a model may read a long prompt for minutes, in
    /// seconds. Such a server is not asked again while it is busy. If only `timeout_s` is set, that holds there too.
    local_timeout_s: f64 = 600.0, 1..=3600
        => Waiting, "Wait for a Local Model (Seconds)", "Seconds until the first piece of an answer from a server on this computer, which may read for minutes";
    /// Limit of one request with all its attempts, in seconds.
    total_timeout_s: f64 = 600.0, 1..=3600
        => Waiting, "Wait in All (Seconds)", "Seconds of one request with all its attempts";
    /// Further attempts of one request after a network fault or an overloaded provider.
    network_retries: u64 = 2, 0..=10
        => Waiting, "Attempts at Sending", "How often a request is sent again after a fault of the network or while the model is overloaded";
    /// Tokens that the scene may take in a request to a model; the least important parts are left out.
    context_tokens: u64 = 8_000, 300..=1_000_000
        => Data, "Tokens of the Scene", "Most tokens that the description of the scene may take; the least important parts are left out";
    /// Tokens that earlier turns of the conversation may take; 0: none are sent.
    conversation_tokens: u64 = 4_000, 0..=1_000_000
        => Data, "Tokens of the Conversation", "Most tokens that earlier prompts and answers may take; 0 sends none";
    /// Whether conversations are stored on this computer, so that a later prompt can refer to an earlier one.
    keep_conversations: bool = true
        => Data, "Keep Conversations", "Keep prompts and answers on this computer, without keys, so that prompts can follow each other";
    /// Whether replies of models are stored on this computer and answer equal requests. Off, because repeating a request usually means
    /// wanting something else.
    cache: bool = false
        => Data, "Answer Again from This Computer", "Keep answers of models here and give the same one to the same prompt about the same scene";
    /// Most replies that are stored.
    cache_entries: u64 = 500, 0..=100_000
        => Data, "Answers That Are Kept", "Most answers of models that are kept on this computer";
    /// Most megabytes of replies that are stored.
    cache_mb: u64 = 64, 0..=65_536
        => Data, "Megabytes of Answers", "Most space that kept answers may take, in megabytes";
    /// Requests to models that this process may make in a minute, including those of saved runs that it resumes; null: no limit.
    max_requests_per_minute: Option<u64> = None, 0..=1_000_000
        => Budget, "Requests in a Minute", "Most requests to models that this Blender makes in a minute", 10.0;
    /// Requests to models that this process may make in a day, including those of saved runs that it resumes; null: no limit.
    max_requests_per_day: Option<u64> = None, 0..=1_000_000
        => Budget, "Requests in a Day", "Most requests to models that this Blender makes in a day", 500.0;
    /// Tokens that this process may send and receive in a minute, including those of saved runs that it resumes; null: no limit.
    max_tokens_per_minute: Option<u64> = None, 0..=2_000_000_000
        => Budget, "Tokens in a Minute", "Most tokens that this Blender sends and receives in a minute", 100_000.0;
    /// Tokens that this process may send and receive in a day, including those of saved runs that it resumes; null: no limit.
    max_tokens_per_day: Option<u64> = None, 0..=2_000_000_000
        => Budget, "Tokens in a Day", "Most tokens that this Blender sends and receives in a day", 2_000_000.0;
    /// Whether policies (servers that data may go to, schemas, requests and tokens per minute and day) only report what they would refuse.
    policy_log_only: bool = false
        => Checks, "Only Report Broken Rules", "Rules about what may be sent, and the limits of a minute and a day, report what they would refuse and let it through";
    /// Most tokens of a reply, reasoning included; null leaves it to the provider.
    max_tokens: Option<u64> = None, 1..=1_000_000
        => Replies, "Longest Answer (Tokens)", "Most tokens of an answer, with those that the model thinks in", 16_000.0;
    /// Randomness of the reply, from 0 (least) to 2; null leaves it to the provider.
    temperature: Option<f64> = None, 0..=2
        => Replies, "Temperature", "Randomness of answers, from 0 (least) to 2", 0.0;
    /// Number from which the provider draws the reply's randomness, where its interface takes one, so that a run can be repeated; null leaves
    /// it to the provider.
    seed: Option<u64> = None, 0..=2_000_000_000
        => Replies, "Seed", "Number that answers are drawn from, so that a prompt can be repeated, where the model takes one", 0.0;
    /// Whether the reply is streamed, so that text appears while the model writes.
    stream: bool = true
        => Replies, "Stream Replies", "Show the reply while the model writes it, not only once it is complete";
    /// Whether the plan's schema constrains the model's reply where the provider can.
    structured_output: bool = true
        => Replies, "Bind Answers to the Form", "The form of a plan binds what the model may write, where it can be bound";
    /// Most steps in a plan.
    max_steps: u64 = 25, 1..=1000
        => Limits, "Steps of a Plan", "Most steps of a plan";
    /// Whether every plan is shown for approval before it is applied, if somebody can be asked.
    preview: bool = false
        => Plans, "Show Every Plan First", "Ask before every plan is applied, not only before those that remove your work or cost much time";
    /// Which Python steps of a plan may run: `off` none, `safe` those that safe mode accepts, `trusted` also those that ask to run without
    /// its limits, each after the artist has read and confirmed it.
    python: Scripts = Scripts::Safe
        => Plans, "Python Scripts", "Which Python scripts a plan may run";
    /// Which scripts of safe mode are tried on a copy of the file, in the sandbox of the operating system, before they can be approved:
    /// `always` each, `in_doubt` those that remove data, are long, or run where nobody reads them, `never` none.
    try_scripts: Trials = Trials::Always
        => Plans, "Try Scripts", "Which scripts are tried first, in a sandbox on a copy of the file, before they can be approved";
    /// Longest time that a Python step may ask for, in milliseconds.
    max_python_ms: u64 = 10_000, 1..=600_000
        => Scripts, "Longest Script (Milliseconds)", "Milliseconds that a script may ask for";
    /// Most characters of Python in a step.
    max_python_chars: u64 = 20_000, 1..=1_000_000
        => Scripts, "Characters of a Script", "Most characters of a script";
    /// Most operations of a plan, over all steps.
    max_operations: u64 = 10_000, 1..=1_000_000
        => Limits, "Operations of a Plan", "Most single changes of a plan, over all its steps";
    /// Most bytes of a plan's text.
    max_plan_bytes: u64 = 16_777_216, 1024..=268_435_456
        => Limits, "Bytes of a Plan", "Most bytes of the text of a plan";
    /// From this many removed nodes of a tree on, whoever made them, a step is destructive and needs approval; fewer
    /// that it names are an ordinary edit.
    destructive_nodes: u64 = 5, 1..=100_000
        => Checks, "Removed Nodes That Ask", "You are asked before a step removes this many nodes of a tree or more";
    /// Elements (vertices, curve points, points, instances; ten voxels count as one) that a plan may be expected to create without
    /// approval, gate `BLOWUP_RISK`.
    max_elements: u64 = 5_000_000, 1..=2_000_000_000
        => Checks, "Elements That Ask", "You are asked before a result has more vertices, points and instances than this";
    /// Seconds that Blender may be expected to take for evaluating the modifiers of one object without approval, gate `BLOWUP_RISK`.
    max_evaluation_s: u64 = 10, 1..=86_400
        => Checks, "Seconds That Ask", "You are asked before a result that would keep Blender busy longer than this, in seconds";
    /// Megabytes that evaluating the modifiers of one object may be expected to take without approval, gate `BLOWUP_RISK`.
    max_evaluation_mb: u64 = 2000, 1..=1_048_576
        => Checks, "Megabytes That Ask", "You are asked before a result that would take more memory than this, in megabytes";
    /// Limit of a dry run in the background, in seconds.
    dry_run_s: u64 = 60, 1..=3600
        => Scripts, "Longest Dry Run (Seconds)", "Seconds until a dry run is stopped";
    /// Most memory that a dry run may use, in megabytes.
    dry_run_mb: u64 = 4096, 512..=1_048_576
        => Scripts, "Memory of a Dry Run (Megabytes)", "Most megabytes that a dry run may use";
    /// Whether an empty result passes the gate `NOT_EMPTY`.
    allow_empty_result: bool = false
        => Checks, "Allow Empty Results", "A result without any geometry counts as a result";
    /// Whether times and counters of runs are collected. They stay in this process.
    telemetry: bool = true
        => Checks, "Count and Time Runs", "Times and counters of runs are collected. They stay in this Blender";
    /// Whether a request that breaks a rule which can be waived (its length) is refused; otherwise it is a warning.
    strict_requests: bool = true
        => Checks, "Strict with Prompts", "A prompt that breaks a rule is refused instead of being sent with a warning";
    /// Whether a reply that breaks a rule which can be waived (a missing final brace was added) is refused; otherwise it is a warning.
    strict_responses: bool = true
        => Checks, "Strict with Answers", "An answer that breaks a rule is refused instead of being used with a warning";
    /// Whether a call of a tool that breaks a rule which can be waived is refused; otherwise it is a warning.
    strict_tools: bool = true
        => Checks, "Strict with Tools", "A call of a tool that breaks a rule is refused instead of being carried out with a warning";
}

impl Settings {
    /// Reads settings; the error names all mistakes together.
    ///
    /// # Errors
    /// [`EngineError::Setting`] for unknown names, wrong types and values outside their range.
    pub fn from_json(given: &Map<String, Value>) -> Result<Self, EngineError> {
        let mut settings = Self::default();
        let wrong: Vec<String> = given
            .iter()
            .filter_map(|(name, value)| settings.set(name, value).err())
            .collect();
        if wrong.is_empty() {
            Ok(settings)
        } else {
            Err(EngineError::Setting(wrong.join(" ")))
        }
    }

    /// The bounds on plans among the settings.
    pub fn limits(&self) -> Limits {
        let size = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        Limits {
            max_bytes: size(self.max_plan_bytes),
            max_steps: size(self.max_steps),
            max_operations: size(self.max_operations),
            max_python_chars: size(self.max_python_chars),
            ..Limits::default()
        }
    }

    /// The bounds on a plan whose size was judged already; pages make more steps than were counted.
    pub(crate) fn limits_of_a_rest(&self) -> Limits {
        Limits {
            max_steps: usize::MAX,
            max_operations: usize::MAX,
            ..self.limits()
        }
    }
}

/// The known word that is probably meant, if one is similar enough.
fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let score = |name: &str| strsim::normalized_damerau_levenshtein(word, name);
    let best = known.iter().copied().max_by(|a, b| score(a).total_cmp(&score(b)))?;
    (score(best) >= 0.5).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(value: &Value) -> Result<Settings, String> {
        Settings::from_json(value.as_object().unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn every_setting_is_documented_and_its_default_is_in_range() {
        let described = Settings::describe();
        assert!(described.len() >= 15);
        for setting in &described {
            assert!(setting.doc.ends_with('.'), "{}", setting.name);
            if let (Some(min), Some(max), Some(value)) = (setting.min, setting.max, setting.default.as_f64()) {
                assert!((min..=max).contains(&value), "{}", setting.name);
            }
            let given = json!({setting.name: setting.default});
            assert_eq!(read(&given), Ok(Settings::default()), "{}", setting.name);
        }
    }

    #[test]
    fn a_run_and_a_check_of_a_plan_alone_have_the_same_defaults() {
        let (settings, config) = (Settings::default(), geonode_run::Config::default());
        assert_eq!(settings.limits(), geonode_protocol::Limits::default());
        assert_eq!(
            (settings.retries, settings.max_iterations),
            (config.retries.into(), config.max_iterations.into())
        );
    }

    #[test]
    fn every_preference_can_be_shown_and_stored() {
        let described = Settings::describe();
        let mut titles = std::collections::BTreeSet::new();
        for setting in &described {
            let Preference {
                title, about, start, ..
            } = setting.preference;
            assert!(
                titles.insert(title),
                "{}: two settings are called {title}",
                setting.name
            );
            assert!(
                !title.is_empty() && !about.is_empty() && !about.ends_with('.'),
                "{}",
                setting.name
            );
            assert_eq!(
                start.is_some(),
                setting.default.is_null(),
                "{}: Blender has no value for “not set”",
                setting.name
            );
            if let Some(start) = start {
                assert!(
                    setting.min.is_some_and(|min| min <= start) && setting.max.is_some_and(|max| start <= max),
                    "{}",
                    setting.name
                );
            }
            assert!(
                setting.max.is_none_or(|max| max <= f64::from(i32::MAX)),
                "{}",
                setting.name
            );
            assert_eq!(
                matches!(setting.kind, "integer" | "number"),
                setting.min.is_some(),
                "{}: a number has a range",
                setting.name
            );
        }
        for word in described.iter().flat_map(|setting| setting.words) {
            assert!(!word.title.is_empty() && !word.about.ends_with('.'), "{}", word.name);
        }
    }

    #[test]
    fn stored_preferences_for_scripts_keep_their_meaning() {
        // Blender keeps a chosen word as its place in the list.
        let names: Vec<&str> = Scripts::WORDS.iter().map(|word| word.name).collect();
        assert!(names.starts_with(&["off", "safe", "trusted"]), "{names:?}");
    }

    #[test]
    fn range_limits_are_inclusive() {
        for setting in Settings::describe() {
            let (Some(min), Some(max)) = (setting.min, setting.max) else {
                continue;
            };
            for (value, good) in [(min, true), (max, true), (min - 1.0, false), (max + 1.0, false)] {
                let value = if setting.kind == "integer" {
                    json!(value.round())
                } else {
                    json!(value)
                };
                assert_eq!(
                    read(&json!({setting.name: value})).is_ok(),
                    good,
                    "{} = {value}",
                    setting.name
                );
            }
        }
    }

    #[test]
    fn all_setting_mistakes_are_reported_together() {
        let message = read(&json!({"retrys": 1, "stream": "yes", "retries": 2.5, "timeout_s": 0})).unwrap_err();
        for part in [
            "“retrys”",
            "Did you mean “retries”?",
            "true or false",
            "a whole number",
            "from 1 to 600",
        ] {
            assert!(message.contains(part), "{part} in {message}");
        }
    }
}
