//! What a change of the last result leaves as it is: the values that stand there, and copies that touch, which go on touching.

use geonode_graph::ir::Map;
use serde_json::Value;

use crate::change::is_said;
use crate::expr::Scope;
use crate::page::title;
use crate::paging::left_alone;
use crate::refusal::Refusal;
use crate::template::{Read, Standing, parameters, valid};
use crate::values::PromptValue;

/// Puts what stands there into the scope of a change, which has defaults for it, from the `fresh` one. The prompt where it says more by that.
pub(crate) fn keep<'a>(
    read: &Read<'a>,
    scope: &mut Scope,
    fresh: Scope,
    unit: f64,
    shown: &Map,
) -> Result<Option<Read<'a>>, Refusal> {
    let together = touching(read, scope, unit, shown);
    let read = together.as_ref().unwrap_or(read);
    if together.is_some() {
        scope.clone_from(&fresh);
        parameters(read, scope, unit, Some(&Standing::new()))?;
        valid(read, scope, unit, None)?;
    }
    let standing = standing(read, scope, unit, shown)?;
    *scope = fresh;
    parameters(read, scope, unit, Some(&standing))?;
    valid(read, scope, unit, Some(&standing))?;
    Ok(together)
}

/// The numbers and switches that the modifier shows for inputs that the prompt leaves as they are.
fn standing(read: &Read, scope: &Scope, unit: f64, shown: &Map) -> Result<Standing, Refusal> {
    let number = |(name, title): (&str, String)| {
        let value = shown
            .get(&title)
            .filter(|value| value.is_number() || value.is_boolean())?;
        Some((name.to_owned(), value.clone()))
    };
    Ok(left_alone(read, scope, unit)?.into_iter().filter_map(number).collect())
}

/// The prompt with another distance between copies that touch, where it gives them another size; none if there are no such copies.
fn touching<'a>(read: &Read<'a>, scope: &Scope, unit: f64, shown: &Map) -> Option<Read<'a>> {
    let parameters = &read.entry.preset.parameters;
    let size = parameters
        .iter()
        .find(|one| one.sizes_things && is_said(read, &one.name))?;
    let sides: Vec<f64> = scope
        .get("thing.dims")?
        .as_array()?
        .iter()
        .filter_map(Value::as_f64)
        .collect();
    let largest = sides.iter().copied().fold(0.0, f64::max);
    let number = |name: &str| shown.get(&title(name)).and_then(Value::as_f64);
    let before = number(&size.name).unwrap_or(largest);
    let now = scope.get(&size.name)?.as_f64()?;
    if largest <= 0.0 || before <= 0.0 {
        return None;
    }
    let mut with = read.clone();
    for one in parameters
        .iter()
        .filter(|one| one.spaces_things && !is_said(read, &one.name))
    {
        let apart = number(&one.name).unwrap_or(0.0);
        let touch = |side: &f64| *side > 0.0 && (apart - side / largest * before).abs() <= 0.01 * apart;
        if sides.iter().any(touch) {
            let value = PromptValue::Number(apart * now / before * unit);
            with.values.insert(one.name.clone(), value);
            let words = read.sources.get(&size.name).cloned().unwrap_or_default();
            with.sources.insert(one.name.clone(), words);
        }
    }
    (with.values.len() > read.values.len()).then_some(with)
}
