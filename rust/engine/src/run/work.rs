//! The data of one run, and the tasks that do not need Blender.

use std::sync::Arc;
use std::time::Instant;

use geonode_cost::{Budget, Risk, risk};
use geonode_graph::{Catalogue, Compiled, Document, StepDelta, compile_exactly, difference, stale};
use geonode_protocol::{Action, Code, Extensions, Finding, Plan, Step};
use geonode_provider::{ToolCall, Usage};
use geonode_run::{Answer, ApprovalRequest, Approve, Failure, Feedback, Message, Purpose, State};
use geonode_text::{Called, PagePlaces, expand, needs};

use crate::approval::request::{self as approval, Subject};
use crate::asking::memory::{Ended, Memory};
use crate::asking::plan_request::{Brief, Due, Listener};
use crate::asking::planner::label;
use crate::asking::policies;
use crate::asking::source::{Lack, Source};
use crate::catalogues::catalogue;
use crate::error::{EngineError, lost};
use crate::extensions::extensions;
use crate::request::RunRequest;
use crate::run::asked::Asked;
use crate::run::heavy;
use crate::run::info::info;
use crate::run::judged::Judged;
use crate::run::planned::{Planned, fingerprint};
use crate::run::saved::Kept;
use crate::settings::Settings;
use crate::tariff::Tariff;
use crate::tools::{Toolbox, echoed};
use crate::validate::{self, Mode, Response, Rules, confirmed_only};

/// Everything that belongs to one run; owned by its worker.
pub(crate) struct Work {
    pub(crate) request: RunRequest,
    pub(crate) settings: Settings,
    /// Operations and step types that were registered when the run started.
    pub(crate) extensions: Arc<Extensions>,
    /// Number of the requested plan.
    pub(crate) turn: u32,
    pub(crate) asked: Asked,
    pub(crate) planned: Planned,
    pub(crate) judged: Judged,
    pub(crate) tools: Toolbox,
    /// Conversation and stored replies.
    pub(crate) memory: Memory,
    source: Option<Source>,
    /// The data for another process; `None` when it is out of date.
    kept: Option<Arc<Kept>>,
}

impl Work {
    pub(crate) fn new(request: RunRequest, settings: Settings) -> Self {
        Self {
            extensions: extensions(),
            turn: 0,
            asked: Asked::new(&request),
            planned: Planned::default(),
            judged: Judged::of_a_new_run(),
            tools: Toolbox::new(),
            memory: Memory::default(),
            source: None,
            kept: None,
            request,
            settings,
        }
    }

    /// A run that continues from the data of another process.
    pub(crate) fn resumed(request: RunRequest, settings: Settings, kept: Kept) -> Self {
        Self {
            asked: kept.asked.resumed(&request),
            planned: kept.planned,
            judged: kept.judged,
            ..Self::new(request, settings)
        }
    }

    /// The data that another process needs to continue.
    pub(crate) fn kept(&mut self) -> Arc<Kept> {
        let made = self.kept.take().unwrap_or_else(|| {
            Arc::new(Kept {
                asked: self.asked.clone(),
                planned: self.planned.clone(),
                judged: self.judged.clone(),
            })
        });
        self.kept = Some(Arc::clone(&made));
        made
    }

    /// Marks the data for another process as out of date.
    pub(crate) fn changed(&mut self) {
        self.kept = None;
    }

    /// Resets the exchange, so that the next request is like the first.
    pub(crate) fn begin_again(&mut self) {
        self.asked.begin_again(&self.request);
        self.source = None;
        self.changed();
    }

    pub(crate) fn catalogue(&self) -> Result<Arc<Catalogue>, Failure> {
        catalogue(&self.request.catalogue).map_err(Failure::from)
    }

    /// Version of Blender, as the host or the catalogue reports it.
    pub(crate) fn blender(&self) -> Option<String> {
        let of_catalogue = || Some(self.catalogue().ok()?.blender.clone());
        self.asked.blender().or_else(of_catalogue)
    }

    /// Tokens and calls of tools of the whole run.
    pub(crate) fn figures(&self) -> (Option<Usage>, usize) {
        (self.asked.usage, self.asked.tool_steps.len())
    }

    pub(crate) fn generate(&mut self, feedback: Option<&Feedback>, listener: &dyn Listener) -> Result<Answer, Failure> {
        if let Some(Feedback::Refused { .. } | Feedback::GatesFailed { .. } | Feedback::Rejected { .. }) = feedback {
            self.memory.discard_last();
        }
        if let Some(feedback) = feedback {
            self.asked.tell(feedback, self.judged.figures(), &self.planned.called);
        }
        if let Some(Feedback::Tools { last }) = feedback {
            self.asked.calls_over = *last;
        }
        if matches!(feedback, Some(Feedback::Progress { .. })) {
            self.planned.earlier = self.planned.diff.to_vec();
        }
        self.asked.budget.check(&self.settings)?;
        let catalogue = self.catalogue()?;
        let scripts = self.scripts().any();
        let source = match &mut self.source {
            Some(source) => source,
            None => {
                let source = Source::new(&self.request, &self.settings, self.asked.replies)?;
                for lack in source.lacks(&self.settings) {
                    match lack {
                        Lack::Tools => self.tools.give_up(),
                        Lack::Pictures => self.settings.send_pictures = false,
                    }
                    listener.message(lack.message(self.request.model.as_deref()));
                }
                self.source.insert(source)
            }
        };
        let asked = &self.asked;
        let offered = self
            .tools
            .offer(&asked.context, &catalogue, &self.settings, &asked.called)?;
        let brief = Brief {
            request: &self.request,
            settings: &self.settings,
            context: &asked.context,
            exchanges: &asked.exchanges,
            extensions: &self.extensions,
            scripts,
            words: match feedback {
                Some(Feedback::Rejected { words }) => Some(words),
                _ => None,
            },
            tools: &offered,
            due: match feedback {
                _ if self.asked.calls_over => Due::Plan,
                Some(Feedback::Refused { findings }) if findings.iter().any(is_of_form) => Due::Form,
                _ => Due::Anything,
            },
            conversation: &self.memory.summary,
            cache: self.memory.cache.as_ref(),
            left: asked.budget.left(&self.settings),
            turn: self.turn,
        };
        let started = Instant::now();
        let reply = source.plan(&brief, listener)?;
        self.asked.budget.took(started.elapsed());
        self.memory.note(&reply);
        if reply.tools_refused {
            self.tools.give_up();
        }
        let takes_calls = !offered.is_empty() && !reply.tools_refused;
        let tariff = Tariff::new(&self.request, &self.settings);
        let calls = self.asked.receive(reply, &tariff, matches!(source, Source::Model(_)));
        // Calls of a model that was not offered tools do not count; its text, if any, is read as the plan.
        if takes_calls && !calls.is_empty() {
            return Ok(self.wants_tools(calls));
        }
        Ok(Answer::Generated)
    }

    /// Takes the calls of a reply.
    fn wants_tools(&mut self, calls: Vec<ToolCall>) -> Answer {
        let (calls, echo) = echoed(calls);
        self.asked.calls = echo;
        let scene = self.asked.scene(self.judged.writes());
        let asks = self.tools.admit(&calls, scene);
        self.count_calls();
        Answer::ToolCalls { asks }
    }

    /// Records how often each tool was called so far.
    pub(crate) fn count_calls(&mut self) {
        if let Some(called) = self.tools.called() {
            self.asked.called.clone_from(called);
        }
    }

    /// Stores the data that outlives the run; returns messages about what could not be stored.
    pub(crate) fn remember(&mut self, state: &State) -> Vec<Message> {
        let client = match &self.source {
            Some(Source::Model(client)) => Some(client),
            _ => None,
        };
        let redactor = policies::redactor(client, &self.request);
        let ended = Ended {
            request: &self.request,
            state,
            changes: &self.planned.diff,
            plan: self.planned.plan.as_deref(),
            redactor: &redactor,
        };
        self.memory.end(&ended)
    }

    /// Reads the reply.
    ///
    /// # Errors
    /// When the model declined: asking again would not change its mind.
    pub(crate) fn check(&mut self) -> Result<Answer, Failure> {
        self.planned.plan = None;
        self.planned.places = None;
        self.planned.pages = PagePlaces::default();
        self.planned.called = Called::default();
        self.planned.exact = self.request.exact.clone().unwrap_or_default();
        let Some(reply) = &self.asked.reply else {
            return Err(lost("reply"));
        };
        let limits = match self.request.exact {
            Some(_) => self.settings.limits_of_a_rest(),
            None => self.settings.limits(),
        };
        let scripts = self.scripts();
        let finish = self.asked.finish.as_ref();
        let mut given = Response::new(reply, finish, limits, &self.extensions, scripts);
        let verdict = validate::response(&mut given, Mode::strict(self.settings.strict_responses));
        self.judged.ledger.note(self.turn, &verdict);
        if let Some(refusal) = verdict.error().filter(|finding| finding.code == Code::ContentRefused) {
            return Err(Failure::new(refusal.code, refusal.message.as_str()));
        }
        let Response { plan, origins, .. } = given;
        self.asked.repairs = verdict
            .findings
            .iter()
            .filter(|found| !found.is_error())
            .cloned()
            .collect();
        let mut info = plan.as_ref().map(info);
        if let Some(info) = &mut info
            && info.wants_context
        {
            info.objects.extend(self.asked.named("target_object"));
            info.trees.extend(self.asked.named("target_node_group"));
        }
        let names_no_object = |step: &Step| matches!(&step.action, Action::TreeText(page) if needs(&page.text).target);
        if let (Some(info), Some(plan)) = (&mut info, &plan)
            && plan.steps.iter().any(names_no_object)
        {
            info.objects
                .extend(self.usual_object().into_iter().chain(self.asked.with_trees()));
        }
        self.planned.plan = plan.map(Arc::new);
        self.planned.origins = origins;
        Ok(Answer::Checked {
            plan: info,
            findings: verdict.findings,
        })
    }

    /// The object that is meant where nothing names one: the run's target.
    fn usual_object(&self) -> Option<String> {
        let asked = || self.request.object.clone();
        self.asked.named("target_object").or_else(asked)
    }

    pub(crate) fn compile(&mut self) -> Result<Answer, Failure> {
        let catalogue = self.catalogue()?;
        let plan = self.planned.plan.clone().ok_or_else(|| lost("plan"))?;
        let document = Arc::clone(&self.planned.document);
        // A preset states all of its result; only what it changes of the last one is carried out.
        let changed = self.request.is_offline().then(|| {
            difference(
                &plan,
                &document,
                &catalogue,
                &geonode_store::seal(&label(&self.request.prompt)),
            )
        });
        let (plan, remarks) = match changed.flatten() {
            Some(changed) => (Arc::new(changed.plan), changed.remarks),
            None => (plan, Vec::new()),
        };
        let usual = self.usual_object();
        let (mut asks, mut further) = (Vec::new(), Vec::new());
        let (plan, steps, pages) = match expand(
            &plan,
            &document,
            &catalogue,
            usual.as_deref(),
            self.settings.limits().max_operations,
        ) {
            Some(expanded) => {
                self.planned.called = Called::of(document.trees.values(), &catalogue);
                self.planned.pages = expanded.places;
                self.planned.exact = expanded.exact;
                asks = expanded.asks;
                further = expanded.further;
                let steps = info(&expanded.plan).steps;
                (Arc::new(expanded.plan), Some(steps), expanded.findings)
            }
            None => (plan, None, Vec::new()),
        };
        if pages.iter().any(Finding::is_error) {
            return Ok(refused(pages.into_iter().chain(further).collect()));
        }
        let mut compiled = compile_exactly(&plan, &document, &catalogue, &self.planned.exact);
        compiled.questions.extend(asks);
        compiled.findings.extend(remarks);
        if compiled.ok() {
            if self.planned.pages != PagePlaces::default() {
                self.planned.called = Called::of(compiled.after.trees.values(), &catalogue);
            }
            if let Some(failure) = self.asked.known.deleted(&compiled) {
                return Err(failure);
            }
            let found = stale(&self.asked.seen, &document, &compiled, &catalogue);
            if found.iter().any(Finding::is_error) {
                // The refusal contains the changes; only now is the next plan made from them.
                self.asked.seen.extend(document.trees.clone());
            }
            compiled.findings.extend(found);
        }
        let risk = if compiled.ok() {
            self.risk(&compiled, &catalogue)
        } else {
            None
        };
        compiled.findings.extend(risk.as_ref().and_then(heavy::impossible));
        let ok = compiled.ok();
        self.asked.repairs.extend(pages.iter().cloned());
        let repairs = compiled.findings.iter().filter(|found| !found.is_error());
        self.asked
            .repairs
            .extend(repairs.map(|found| self.planned.trace(found.clone())));
        let blender = self.blender().unwrap_or_default();
        let request = || approval::request(&self.subject(&plan, &catalogue, &blender), &compiled, risk.as_ref());
        let approval = if ok { request() } else { None };
        let required = |request: &ApprovalRequest| request.dry_run.as_ref().is_some_and(|offer| offer.required);
        self.planned.hold_to_trial(approval.as_ref().is_some_and(required));
        self.planned.reasons_given = approval.as_ref().map(approval::reasons).unwrap_or_default();
        let findings = compiled
            .findings
            .iter()
            .map(|finding| self.planned.trace(finding.clone()));
        let answer = Answer::Compiled {
            findings: pages.into_iter().chain(findings).collect(),
            steps,
            objects: compiled.touched_objects.iter().cloned().collect(),
            trees: compiled.touched_trees.iter().cloned().collect(),
            approval: approval.map(Box::new),
            confirm: confirmed_only(&plan),
            risk: risk.map(|risk| {
                let path = self.planned.place_of(risk.node.as_deref());
                Box::new(heavy::questionable(risk, path))
            }),
        };
        if ok {
            let repaired = compiled.repaired_plan(&plan);
            self.planned
                .take(repaired.unwrap_or_else(|| plan.as_ref().clone()), compiled);
        }
        Ok(answer)
    }

    pub(crate) fn subject<'a>(&'a self, plan: &'a Plan, catalogue: &'a Catalogue, blender: &'a str) -> Subject<'a> {
        Subject {
            plan,
            document: &self.planned.document,
            catalogue,
            settings: &self.settings,
            extensions: &self.extensions,
            blender,
            // Without an artist, there is nobody to show it to.
            preview: self.settings.preview && self.request.approve == Approve::Ask,
            unattended: self.request.approve != Approve::Ask,
        }
    }

    /// Which scripts may run now.
    pub(crate) fn scripts(&self) -> Rules {
        Rules {
            allowed: self.settings.python,
            approve: self.request.approve,
            blender: self.blender(),
            longest_ms: self.settings.max_python_ms,
            later: self.judged.writes() > 0,
        }
    }

    /// The expected elements, time or memory of the plan beyond the budget, unless as much exists already.
    pub(crate) fn risk(&self, compiled: &Compiled, catalogue: &Catalogue) -> Option<Risk> {
        #[expect(clippy::cast_precision_loss, reason = "the settings are bounded to 32 bits")]
        let number = |setting: u64| setting as f64;
        let budget = Budget {
            elements: number(self.settings.max_elements),
            seconds: number(self.settings.max_evaluation_s),
            bytes: number(self.settings.max_evaluation_mb) * 1e6,
        };
        risk(&self.planned.document, compiled, catalogue, budget)
    }

    /// The delta of a step; with the first one the run begins to write.
    pub(crate) fn delta(&mut self, index: usize) -> Result<StepDelta, Failure> {
        let planned = &self.planned;
        let delta = planned.delta(index)?;
        if let (0, Some(compiled)) = (index, &planned.compiled) {
            self.judged.begin(planned.plan.as_deref(), compiled, &planned.document);
        }
        Ok(delta)
    }

    pub(crate) fn judge(&mut self) -> Result<Answer, Failure> {
        let catalogue = self.catalogue()?;
        let compiled = self.planned.compiled.as_deref();
        let mut envelope = self
            .judged
            .judge(compiled, &catalogue, self.settings.allow_empty_result)?;
        for finding in &mut envelope.findings {
            finding.path = self.planned.place_of(finding.node_id.as_deref());
        }
        Ok(Answer::Judged { envelope })
    }

    pub(crate) fn keep_document(&mut self, json: &str, purpose: Purpose) -> Result<Answer, Failure> {
        let mut document: Document = serde_json::from_str(json).map_err(|e| EngineError::document("document", &e))?;
        let fingerprint = fingerprint(&document);
        self.judged.claim(&mut document);
        let mut conflict = None;
        let (asked, planned) = (&mut self.asked, &mut self.planned);
        match purpose {
            Purpose::Plan | Purpose::Approved => {
                if self.judged.writes() == 0 {
                    asked.known.add(&document);
                }
                for (name, tree) in &document.trees {
                    if !asked.seen.contains_key(name) {
                        asked.seen.insert(name.clone(), tree.clone());
                    }
                }
                planned.document = Arc::new(document);
            }
            Purpose::Baseline => {
                asked.seen.clone_from(&document.trees);
                planned.left = Arc::new(document);
            }
            Purpose::Recheck => {
                conflict = catalogue(&self.request.catalogue)
                    .ok()
                    .and_then(|catalogue| planned.conflict(&document, &catalogue));
            }
            Purpose::Slices => {
                let plan = planned.plan.as_deref();
                let requests = plan.map(|plan| plan.context_requests.as_slice()).unwrap_or_default();
                let catalogue = catalogue(&self.request.catalogue)?;
                let answers = geonode_prompting::slices(requests, &asked.context, &document, &catalogue);
                asked.note_slices(self.turn, requests, &answers);
                asked.slices = Some(answers);
                if self.judged.writes() == 0 {
                    asked.known.show(&document);
                }
                asked.seen.extend(document.trees);
            }
        }
        Ok(Answer::Inspected { fingerprint, conflict })
    }

    /// Everything that was written has been undone.
    pub(crate) fn forget_writes(&mut self) {
        self.judged.forget_writes();
        self.planned.earlier.clear();
    }
}

/// Whether a finding is about the form of a plan, which a schema would have held it to.
fn is_of_form(finding: &Finding) -> bool {
    finding.is_error() && finding.code.section() == Code::InvalidJson.section()
}

/// The answer to a plan of which nothing is compiled.
fn refused(findings: Vec<Finding>) -> Answer {
    Answer::Compiled {
        findings,
        steps: None,
        objects: Vec::new(),
        trees: Vec::new(),
        approval: None,
        confirm: false,
        risk: None,
    }
}
