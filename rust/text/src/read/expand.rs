//! Plans with pages: each page becomes steps with operations, and findings about those lead back to line and column.

use std::collections::BTreeSet;

use geonode_graph::{Catalogue, Document, compile_exactly};
use geonode_protocol::{Action, Code, Finding, Meta, Plan, Step, TreeText, Version, too_many_operations};

use super::fault::Faults;
use super::page::Page;
use super::steps::{Before, PageStep, ReadPage, read_after};
use super::syntax::parse;

/// A plan whose pages became operations.
#[derive(Debug, Clone)]
pub struct Expanded {
    /// The plan, without pages unless a finding is an error.
    pub plan: Plan,
    /// Findings about the pages.
    pub findings: Vec<Finding>,
    /// Where one of them is an error: what is wrong besides with what the pages use of the file, so that all is told at once.
    pub further: Vec<Finding>,
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

/// Errors that a plan has whatever else it says: about values, and about what the file has.
const ON_THEIR_OWN: [Code; 7] = [
    Code::LibraryData,
    Code::ObjectTypeUnsupported,
    Code::OutOfRange,
    Code::UnknownCollection,
    Code::UnknownDataBlock,
    Code::UnknownObject,
    Code::WrongType,
];

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
        further: Vec::new(),
        exact: BTreeSet::new(),
        asks: Vec::new(),
        places: PagePlaces::default(),
    };
    // What the plan comes to with all that can be read, once a page is refused.
    let mut partial: Option<Partial> = None;
    let mut open = BTreeSet::new();
    let mut operations: usize = plan.steps.iter().map(|step| count(&step.action)).sum();
    for (index, step) in plan.steps.iter().enumerate() {
        let Action::TreeText(page) = &step.action else {
            if let Some(partial) = &mut partial {
                partial.push(step.clone(), false, index, None);
            }
            expanded.plan.steps.push(step.clone());
            expanded.places.0.push(Place {
                step: index,
                page: None,
            });
            continue;
        };
        let so_far = match &partial {
            Some(partial) => (&partial.plan, &partial.exact),
            None => (&expanded.plan, &expanded.exact),
        };
        let open_before = std::mem::take(&mut open);
        let read = read_step(
            (step, &page.text),
            plan,
            so_far,
            (document, catalogue, usual),
            open_before,
        );
        open.clone_from(&read.open);
        let is_refused = partial.is_some() || read.findings.iter().any(Finding::is_error);
        if is_refused {
            let partial = partial.get_or_insert_with(|| Partial {
                plan: expanded.plan.clone(),
                exact: expanded.exact.clone(),
                places: expanded.places.clone(),
            });
            for made in read.partial.into_iter().chain(read.steps.iter().cloned()) {
                let edits = made.edits;
                let (made, place) = as_step(step, made, partial.plan.steps.len(), plan);
                partial.push(made, edits, index, Some(place));
            }
        }
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
            expanded.asks.extend(made.asks.iter().map(|ask| (at, ask.clone())));
            let (made, place) = as_step(step, made, number, plan);
            expanded.plan.steps.push(made);
            expanded.places.0.push(Place {
                step: index,
                page: Some(place),
            });
        }
    }
    if let Some(partial) = partial {
        let findings = compile_exactly(&partial.plan, document, catalogue, &partial.exact).findings;
        let own = findings
            .into_iter()
            .filter(|found| found.is_error() && ON_THEIR_OWN.contains(&found.code));
        for found in own.map(|found| partial.places.trace(found)) {
            // Several steps of a page have one target.
            if !expanded.further.contains(&found) {
                expanded.further.push(found);
            }
        }
    }
    Some(expanded)
}

/// Reads the page of a step against what the steps before it leave.
fn read_step(
    (step, text): (&Step, &str),
    plan: &Plan,
    (so_far, exact): (&Plan, &BTreeSet<usize>),
    (document, catalogue, usual): (&Document, &Catalogue, Option<&str>),
    open: BTreeSet<String>,
) -> ReadPage {
    let before = (!so_far.steps.is_empty()).then(|| compile_exactly(so_far, document, catalogue, exact).after);
    let known = before.as_ref().unwrap_or(document);
    let mut about_page = Before { open, first: true };
    let first = read_after(text, known, catalogue, usual, &about_page);
    if !first.awaits {
        return first;
    }
    // What it moves between groups is there once that is carried out; the same lines then change nothing.
    about_page.first = false;
    let (mut so_far, mut exact) = (so_far.clone(), exact.clone());
    for made in &first.steps {
        let number = so_far.steps.len();
        if made.edits {
            exact.insert(number);
        }
        so_far.steps.push(as_step(step, made.clone(), number, plan).0);
    }
    let moved = compile_exactly(&so_far, document, catalogue, &exact);
    if !moved.ok() {
        return first;
    }
    let then = read_after(text, &moved.after, catalogue, usual, &about_page);
    together(first, then)
}

/// A page that was read once before its first steps, and once after them.
fn together(first: ReadPage, then: ReadPage) -> ReadPage {
    let mut all = first;
    let is_new = |found: &Finding| found.code != Code::NothingToRemove && !all.findings.contains(found);
    let findings: Vec<Finding> = then.findings.into_iter().filter(is_new).collect();
    all.findings.extend(findings);
    if all.findings.iter().any(Finding::is_error) {
        all.partial.append(&mut all.steps);
    }
    all.partial.extend(then.partial);
    all.steps.extend(then.steps);
    all.open = then.open;
    all
}

/// A plan of all that can be read of pages that are refused; it is judged, but not carried out.
struct Partial {
    plan: Plan,
    exact: BTreeSet<usize>,
    places: PagePlaces,
}

impl Partial {
    fn push(&mut self, step: Step, edits: bool, index: usize, page: Option<(String, Vec<String>)>) {
        if edits {
            self.exact.insert(self.plan.steps.len());
        }
        self.plan.steps.push(step);
        self.places.0.push(Place { step: index, page });
    }
}

/// The step of a plan that one of a page becomes, and its places there.
fn as_step(step: &Step, made: PageStep, number: usize, plan: &Plan) -> (Step, (String, Vec<String>)) {
    let id = free_id(&step.id, number, plan);
    let whole = Step {
        id,
        action: made.action,
        ..step.clone()
    };
    (whole, (made.target, made.places))
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
