//! Arguments that a word of the form does not take: whatever nothing reads is reported, since it would be dropped without a word.

use geonode_protocol::Code;
use rustpython_parser::ast::{ExprCall, Keyword, Ranged};

use super::fault::Faults;

/// Reports the arguments of a call beyond the first `places`, and those by a name that is not in `names`. `form` is how the word is written.
pub(crate) fn only(call: &ExprCall, word: &str, places: usize, names: &[&str], form: &str, faults: &mut Faults) {
    if let Some(further) = call.args.get(places) {
        let message = match places {
            0 => format!("{word}(…) takes no argument without a name."),
            1 => format!("{word}(…) takes one argument without a name."),
            count => format!("{word}(…) takes {count} arguments without a name."),
        };
        faults.error(
            Code::TextForm,
            usize::from(further.start()),
            message,
            format!("Write {form}."),
        );
    }
    for keyword in &call.keywords {
        if keyword.arg.as_ref().is_none_or(|name| !names.contains(&name.as_str())) {
            unknown(keyword, word, form, faults);
        }
    }
}

/// Reports an argument by its name.
pub(crate) fn unknown(keyword: &Keyword, word: &str, form: &str, faults: &mut Faults) {
    let message = match &keyword.arg {
        Some(name) => format!("{word}(…) has no argument “{name}”."),
        None => "Tree text has no arguments of the form `**x`.".to_owned(),
    };
    faults.error(
        Code::TextForm,
        usize::from(keyword.start()),
        message,
        format!("Write {form}."),
    );
}
