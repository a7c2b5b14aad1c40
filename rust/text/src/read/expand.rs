//! Plans with pages: each page becomes steps with operations, and findings about those lead back to line and column.

use std::collections::BTreeSet;

use geonode_graph::{Catalogue, Document, compile_exactly};
use geonode_protocol::{Action, Finding, Meta, Plan, Step, TreeText, Version, too_many_operations};

use super::fault::Faults;
use super::page::Page;
use super::steps::read_page;
use super::syntax::parse;

/// A plan whose pages became operations.
#[derive(Debug, Clone)]
pub struct Expanded {
    /// The plan, without pages unless a finding is an error.
    pub plan: Plan,
    /// Findings about the pages.
    pub findings: Vec<Finding>,
    /// Indices of the steps that mean exactly the tree that they name.
    pub exact: BTreeSet<usize>,
    /// What steps do to the artist's work without naming it, by the index of the step, in words for the artist's approval.
    pub asks: Vec<(usize, String)>,
    /// Where each step comes from.
    pub places: PagePlaces,
}

/// Where the steps of a plan come from that had pages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PagePlaces(Vec<Place>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    /// Index of the step in the plan as it was given.
    step: usize,
    /// For a step of a page: where it names its target, and the places of its operations.
    page: Option<(String, Vec<String>)>,
}

impl PagePlaces {
    /// The finding with the place that the plan has as it was given: of a page, its line and column.
    #[must_use]
    pub fn trace(&self, finding: Finding) -> Finding {
        self.traced(&finding).unwrap_or(finding)
    }

    fn traced(&self, finding: &Finding) -> Option<Finding> {
        let (place, below) = self.place(&finding.path)?;
        let mut traced = finding.clone();
        let Some((target, operations)) = &place.page else {
            traced.path = place.pointer(below);
            for change in &mut traced.changes {
                let path = change.path_mut();
                if let Some((place, below)) = self.place(path) {
                    *path = place.pointer(below);
                }
            }
            return Some(traced);
        };
        // The operations that they change are not in the page.
        traced.changes.clear();
        let list = ["payload/operations/", "payload/ops/"]
            .into_iter()
            .find_map(|list| below.strip_prefix(list));
        let number = list.and_then(|list| list.split('/').next()?.parse::<usize>().ok());
        let at = number.and_then(|number| operations.get(number)).unwrap_or(target);
        Some(about(place.step, at, traced))
    }

    /// The place of the step that a pointer goes into, and what follows in the pointer.
    fn place<'p>(&self, path: &'p str) -> Option<(&Place, &'p str)> {
        let rest = path.strip_prefix("/steps/")?;
        let (index, below) = rest.split_once('/').unwrap_or((rest, ""));
        Some((self.0.get(index.parse::<usize>().ok()?)?, below))
    }
}

impl Place {
    /// The pointer into the step in the plan as it was given.
    fn pointer(&self, below: &str) -> String {
        let slash = if below.is_empty() { "" } else { "/" };
        format!("/steps/{}{slash}{below}", self.step)
    }
}

/// A finding about a place of a page.
fn about(step: usize, place: &str, mut finding: Finding) -> Finding {
    finding.path = format!("/steps/{step}/payload/text");
    if !place.is_empty() {
        finding.message = format!("{place}: {}", finding.message);
    }
    finding
}

/// Whether a plan has pages.
pub fn reads(plan: &Plan) -> bool {
    plan.steps.iter().any(|step| matches!(step.action, Action::TreeText(_)))
}

/// Makes operations of a plan's pages; none where it has no pages. `usual` is the object that is meant where a page names none, `most` how
/// many operations the plan may have.
pub fn expand(
    plan: &Plan,
    document: &Document,
    catalogue: &Catalogue,
    usual: Option<&str>,
    most: usize,
) -> Option<Expanded> {
    if !reads(plan) {
        return None;
    }
    let mut expanded = Expanded {
        plan: Plan {
            steps: Vec::new(),
            ..plan.clone()
        },
        findings: Vec::new(),
        exact: BTreeSet::new(),
        asks: Vec::new(),
        places: PagePlaces::default(),
    };
    let mut operations: usize = plan.steps.iter().map(|step| count(&step.action)).sum();
    for (index, step) in plan.steps.iter().enumerate() {
        let Action::TreeText(page) = &step.action else {
            expanded.plan.steps.push(step.clone());
            expanded.places.0.push(Place {
                step: index,
                page: None,
            });
            continue;
        };
        // A page after other steps is read against what they leave.
        let before = if expanded.plan.steps.is_empty() {
            None
        } else {
            Some(compile_exactly(&expanded.plan, document, catalogue, &expanded.exact).after)
        };
        let read = read_page(&page.text, before.as_ref().unwrap_or(document), catalogue, usual);
        let found = read.findings.into_iter().map(|finding| {
            let place = finding.path.clone();
            about(index, &place, finding)
        });
        expanded.findings.extend(found);
        expanded.plan.meta.expects.extend(read.expects);
        expanded.plan.meta.measures.extend(read.measures);
        if expanded.plan.final_message.is_empty() {
            expanded.plan.final_message = read.message.unwrap_or_default();
        }
        for (number, made) in read.steps.into_iter().enumerate() {
            let before = operations;
            operations += count(&made.action);
            if before <= most && operations > most {
                let place = made.places.get(most - before).unwrap_or(&made.target);
                expanded
                    .findings
                    .push(about(index, place, too_many_operations(most, String::new())));
            }
            if made.edits {
                expanded.exact.insert(expanded.plan.steps.len());
            }
            let at = expanded.plan.steps.len();
            expanded.asks.extend(made.asks.into_iter().map(|ask| (at, ask)));
            let id = free_id(&step.id, number, plan);
            expanded.plan.steps.push(Step {
                id,
                action: made.action,
                ..step.clone()
            });
            expanded.places.0.push(Place {
                step: index,
                page: Some((made.target, made.places)),
            });
        }
    }
    Some(expanded)
}

/// How many operations a step has.
fn count(action: &Action) -> usize {
    match action {
        Action::NodeTree(payload) => payload.operations.len(),
        Action::GnOps(payload) => payload.ops.len(),
        Action::TreeText(_) | Action::Python(_) | Action::Added(_) => 0,
    }
}

/// The ID of one of the steps that a page becomes.
fn free_id(id: &str, number: usize, plan: &Plan) -> String {
    if number == 0 {
        return id.to_owned();
    }
    let mut wanted = format!("{id}.{}", number + 1);
    while plan.steps.iter().any(|step| step.id == wanted) {
        wanted.push('\'');
    }
    wanted
}

/// The page that a reply consists of: that in its only fence, or a page alone. None where it may be anything else.
pub fn page_in(reply: &str) -> Option<&str> {
    let reply = reply.trim();
    let parts: Vec<&str> = reply.split("```").collect();
    let inner = match parts.as_slice() {
        // JSON may hold a fence in one of its texts.
        [before, fenced, _] if !before.trim_start().starts_with(['{', '[']) => {
            let (language, body) = fenced.split_once('\n')?;
            let known = matches!(
                language.trim().to_ascii_lowercase().as_str(),
                "" | "python" | "py" | "tree" | "text"
            );
            known.then(|| body.trim_matches(['\n', '\r']))?
        }
        [page] => page,
        _ => return None,
    };
    let begins = |line: &str| {
        ["def ", "with edit(", "apply("]
            .iter()
            .any(|word| line.starts_with(word))
    };
    // A page has a line that begins a group; JSON and prose have none.
    let first = inner.trim_start().chars().next()?;
    (!matches!(first, '{' | '[') && inner.lines().any(begins)).then_some(inner)
}

/// The plan that a page is as a whole answer: one step, done, with the page's text as its message.
pub fn page_plan(page: &str) -> Plan {
    let mut ignored = Faults::default();
    let statements = parse(page, |_| false, &mut ignored);
    let message = Page::of(&statements, &mut ignored).message;
    Plan {
        version: Version::CURRENT,
        steps: vec![Step {
            id: "tree".to_owned(),
            description: "Build the tree that the page describes.".to_owned(),
            requires_approval: false,
            action: Action::TreeText(TreeText { text: page.to_owned() }),
        }],
        done: true,
        final_message: message.unwrap_or_default(),
        meta: Meta::default(),
        context_requests: Vec::new(),
    }
}
