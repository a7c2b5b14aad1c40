//! What one run holds, and the tasks that need no Blender.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Instant;

use geonode_cost::{Risk, risk};
use geonode_gates::{Evidence, Facts, judge};
use geonode_graph::ir::Tree;
use geonode_graph::{Catalogue, Compiled, Document, StepDelta, changes, compile, spelled, stale};
use geonode_prompting::{Exchange, Results};
use geonode_protocol::{Action, Code, Extensions, Finding, GateFinding, Origins, Plan, Severity};
use geonode_provider::{FinishReason, ToolCall, Usage};
use geonode_run::{Answer, Approve, Failure, Feedback, Message, Purpose, State};
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

use crate::approval;
use crate::budget::Budget;
use crate::check;
use crate::choice::Places;
use crate::error::EngineError;
use crate::generate::{Brief, Lack, Listener, Source};
use crate::memory::{Ended, Memory};
use crate::policies::Taken;
use crate::request::{PlanInput, RunRequest};
use crate::saved::Kept;
use crate::scripts::{self, Rules};
use crate::settings::Settings;
use crate::spending::{Spent, Tariff};
use crate::tools::Toolbox;
use crate::validate::{self, Ledger, Mode, Response};
use crate::verdict;
use crate::{planner, policies};

/// Everything that belongs to one run; owned by its worker.
pub(crate) struct Work {
    pub(crate) request: RunRequest,
    pub(crate) settings: Settings,
    source: Option<Source>,
    pub(crate) context: Value,
    reply: Option<PlanInput>,
    exchanges: Vec<Exchange>,
    /// Tools, their calls and the record of these.
    pub(crate) tools: Toolbox,
    /// Calls of the last reply, as they can be told back.
    pub(crate) calls: Vec<ToolCall>,
    /// Their results.
    pub(crate) results: Vec<Results>,
    /// What planning has cost so far.
    pub(crate) budget: Budget,
    /// What of that counts for the quotas of the process.
    taken: Taken,
    /// Conversation and kept replies.
    pub(crate) memory: Memory,
    slices: Option<Value>,
    /// As it was checked, then with the repairs of its compilation.
    pub(crate) plan: Option<Arc<Plan>>,
    /// Where the plan's operations stand in the reply.
    origins: Origins,
    /// Operations and step types that were registered when the run started.
    pub(crate) extensions: Arc<Extensions>,
    pub(crate) document: Document,
    /// Trees as whoever makes the plan was told of them last; those that nobody was told of as they were first inspected.
    seen: IndexMap<String, Tree>,
    /// Where the steps of the plan stood before the artist left something out.
    pub(crate) places: Option<Places>,
    /// What the artist left out, in words for whoever plans.
    pub(crate) left_out: Vec<String>,
    /// Why the artist was asked about the present plan.
    pub(crate) told: Vec<String>,
    /// How the last turn left its targets.
    left: Document,
    compiled: Option<Compiled>,
    evidence: Option<Evidence>,
    /// Plans whose steps are applied and not taken back.
    applied: Vec<Plan>,
    /// Trees and objects as they were before the first write.
    base: Document,
    /// Trees that this run was allowed to write.
    written: BTreeSet<String>,
    /// Changes of earlier turns in plain words, then of this one.
    pub(crate) diff: Arc<Vec<String>>,
    earlier: Vec<String>,
    pub(crate) usage: Option<Usage>,
    /// How the last reply ended.
    finish: Option<FinishReason>,
    /// Recorded replies that were used up.
    used: usize,
    /// What another process must know; none when it is out of date.
    kept: Option<Arc<Kept>>,
    /// Number of the plan that is asked for.
    pub(crate) turn: u32,
    /// What the validators found.
    pub(crate) ledger: Ledger,
    pub(crate) model: Option<String>,
}

impl Work {
    pub(crate) fn new(request: RunRequest, settings: Settings) -> Self {
        Self {
            source: None,
            context: Value::Null,
            reply: request.plan.clone(),
            exchanges: Vec::new(),
            tools: Toolbox::new(),
            calls: Vec::new(),
            results: Vec::new(),
            budget: Budget::default(),
            taken: Taken::default(),
            memory: Memory::default(),
            slices: None,
            plan: None,
            origins: Origins::default(),
            extensions: crate::extensions(),
            document: Document::default(),
            seen: IndexMap::default(),
            places: None,
            left_out: Vec::new(),
            told: Vec::new(),
            left: Document::default(),
            compiled: None,
            evidence: None,
            applied: Vec::new(),
            base: Document::default(),
            written: BTreeSet::new(),
            diff: Arc::default(),
            earlier: Vec::new(),
            usage: None,
            finish: None,
            used: 0,
            kept: None,
            turn: 0,
            ledger: Ledger::default(),
            model: request.model.clone(),
            request,
            settings,
        }
    }

    /// A run that goes on from what another process knew of it.
    pub(crate) fn taken_up(request: RunRequest, settings: Settings, kept: Kept) -> Self {
        let reply = kept.reply.or_else(|| request.plan.clone());
        let mut taken = kept.taken;
        taken.taken_up();
        Self {
            budget: kept.budget,
            taken,
            memory: Memory::default().after(kept.cached),
            tools: Toolbox::taken_up(kept.called, kept.tool_steps),
            context: kept.context,
            reply,
            finish: kept.finish,
            exchanges: kept.exchanges,
            slices: kept.slices,
            seen: kept.seen,
            used: kept.replies,
            ledger: kept.ledger,
            usage: kept.usage,
            model: kept.model,
            plan: kept.plan,
            diff: kept.diff,
            ..Self::new(request, settings)
        }
    }

    /// What another process must know to go on.
    pub(crate) fn kept(&mut self) -> Arc<Kept> {
        let made = self.kept.take().unwrap_or_else(|| {
            Arc::new(Kept {
                context: self.context.clone(),
                reply: self.reply.clone(),
                finish: self.finish.clone(),
                exchanges: self.exchanges.clone(),
                slices: self.slices.clone(),
                seen: self.seen.clone(),
                replies: self.used,
                ledger: self.ledger.clone(),
                usage: self.usage,
                budget: self.budget,
                cached: self.memory.cached,
                taken: self.taken.clone(),
                called: self.tools.called(),
                tool_steps: self.tools.steps.clone(),
                model: self.model.clone(),
                plan: self.plan.clone(),
                diff: Arc::clone(&self.diff),
            })
        });
        self.kept = Some(Arc::clone(&made));
        made
    }

    /// What another process must know is no longer what it was.
    pub(crate) fn changed(&mut self) {
        self.kept = None;
    }

    /// The model is asked as if for the first time.
    pub(crate) fn begin_again(&mut self) {
        self.reply.clone_from(&self.request.plan);
        self.finish = None;
        self.exchanges.clear();
        self.slices = None;
        self.used = 0;
        self.source = None;
        self.changed();
    }

    pub(crate) fn catalogue(&self) -> Result<Arc<Catalogue>, Failure> {
        crate::catalogue(&self.request.catalogue).map_err(Failure::from)
    }

    /// Version of Blender, as the host or the catalogue says it.
    pub(crate) fn blender(&self) -> Option<String> {
        if let Some(version) = self.context.get("blender").and_then(Value::as_array) {
            return Some(version.iter().map(ToString::to_string).collect::<Vec<_>>().join("."));
        }
        self.catalogue().ok().map(|catalogue| catalogue.blender.clone())
    }

    pub(crate) fn generate(&mut self, feedback: Option<&Feedback>, listener: &dyn Listener) -> Result<Answer, Failure> {
        if let Some(Feedback::Refused { .. } | Feedback::GatesFailed { .. } | Feedback::Rejected { .. }) = feedback {
            self.memory.useless();
        }
        if let (Some(feedback), Some(PlanInput::Text(reply))) = (feedback, &self.reply) {
            let left_out = std::mem::take(&mut self.left_out);
            let feedback = geonode_prompting::feedback(feedback, self.slices.take().as_ref(), &left_out);
            self.exchanges.push(Exchange {
                reply: reply.clone(),
                calls: std::mem::take(&mut self.calls),
                results: std::mem::take(&mut self.results),
                feedback,
            });
        }
        if matches!(feedback, Some(Feedback::Progress { .. })) {
            self.earlier = self.diff.to_vec();
        }
        self.budget.check(&self.settings)?;
        let catalogue = self.catalogue()?;
        let scripts = self.scripts().any();
        let source = match &mut self.source {
            Some(source) => source,
            None => {
                let source = Source::new(&self.request, &self.settings, self.used)?;
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
        let offered = self.tools.offer(&self.context, &catalogue, &self.settings)?;
        let brief = Brief {
            request: &self.request,
            settings: &self.settings,
            context: &self.context,
            exchanges: &self.exchanges,
            extensions: &self.extensions,
            scripts,
            words: match feedback {
                Some(Feedback::Rejected { words }) => Some(words),
                _ => None,
            },
            tools: &offered,
            conversation: &self.memory.told,
            cache: self.memory.cache.as_ref(),
            left: self.budget.left(&self.settings),
            turn: self.turn,
        };
        let started = Instant::now();
        let reply = source.plan(&brief, listener)?;
        self.budget.took(started.elapsed());
        if !reply.cached {
            let tariff = Tariff::new(&self.request, &self.settings);
            let prices = |input| tariff.prices(input);
            let tokens = self.budget.spend(reply.usage, reply.sent, reply.text.len(), prices);
            if matches!(source, Source::Model(_)) {
                self.taken.note(tokens);
            }
        }
        self.memory.note(&reply);
        self.model = reply.model.or(self.model.take());
        self.usage = sum(self.usage, reply.usage);
        self.used += 1;
        self.finish = reply.finish;
        self.reply = Some(PlanInput::Text(reply.text));
        if reply.tools_refused {
            self.tools.give_up();
        }
        // Calls of a model that was offered none are no calls; its text, if any, is judged as the plan.
        if offered.is_empty() || reply.tools_refused || reply.calls.is_empty() {
            return Ok(Answer::Generated);
        }
        Ok(self.wants_tools(reply.calls))
    }

    /// What the requests used; none when nothing was sent to a model, or it reported nothing.
    pub(crate) fn spent(&self) -> Option<Spent> {
        let asked = self.usage.is_some() || self.memory.cached > 0;
        asked.then(|| Spent {
            tokens: self.usage.unwrap_or_default(),
            cost_usd: self.budget.cost(),
            cached: self.memory.cached,
        })
    }

    /// The run is over: what is remembered of it is kept. Says what could not be.
    pub(crate) fn remember(&mut self, state: &State) -> Vec<Message> {
        let client = match &self.source {
            Some(Source::Model(client)) => Some(client),
            _ => None,
        };
        let redactor = policies::redactor(client, &self.request);
        let ended = Ended {
            request: &self.request,
            state,
            changes: &self.diff,
            plan: self.plan.as_deref(),
            redactor: &redactor,
        };
        self.memory.end(&ended)
    }

    /// Reads the reply.
    ///
    /// # Errors
    /// When the model declined: asking again would not change its mind.
    pub(crate) fn check(&mut self) -> Result<Answer, Failure> {
        self.plan = None;
        self.places = None;
        let Some(reply) = &self.reply else {
            return Err(lost("reply"));
        };
        let (limits, scripts) = (self.settings.limits(), self.scripts());
        let mut given = Response::new(reply, self.finish.as_ref(), limits, &self.extensions, scripts);
        let verdict = validate::response(&mut given, Mode::strict(self.settings.strict_responses));
        self.ledger.note(self.turn, &verdict);
        if let Some(refusal) = verdict.error().filter(|finding| finding.code == Code::ContentRefused) {
            return Err(Failure::new(refusal.code, refusal.message.as_str()));
        }
        let Response { plan, origins, .. } = given;
        let mut info = plan.as_ref().map(check::info);
        if let Some(info) = &mut info
            && info.wants_context
        {
            let target = |key| self.context.get(key).and_then(Value::as_str).map(str::to_owned);
            info.objects.extend(target("target_object"));
            info.trees.extend(target("target_node_group"));
        }
        self.plan = plan.map(Arc::new);
        self.origins = origins;
        Ok(Answer::Checked {
            plan: info,
            findings: verdict.findings,
        })
    }

    pub(crate) fn compile(&mut self) -> Result<Answer, Failure> {
        let catalogue = self.catalogue()?;
        let plan = self.plan.clone().ok_or_else(|| lost("plan"))?;
        let mut compiled = compile(&plan, &self.document, &catalogue);
        if compiled.ok() {
            let found = stale(&self.seen, &self.document, &compiled, &catalogue);
            if found.iter().any(Finding::is_error) {
                // The refusal tells what changed; only now the next plan is made from that.
                self.seen.extend(self.document.trees.clone());
            }
            compiled.findings.extend(found);
        }
        let ok = compiled.ok();
        let risk = if ok { self.risk(&compiled, &catalogue) } else { None };
        let blender = self.blender().unwrap_or_default();
        let asked = || approval::request(&self.subject(&plan, &catalogue, &blender), &compiled, risk.as_ref());
        let approval = if ok { asked() } else { None };
        self.told = approval.as_ref().map(approval::reasons).unwrap_or_default();
        let answer = Answer::Compiled {
            findings: compiled
                .findings
                .iter()
                .map(|finding| self.trace(finding.clone()))
                .collect(),
            objects: compiled.touched_objects.iter().cloned().collect(),
            trees: compiled.touched_trees.iter().cloned().collect(),
            approval,
            confirm: scripts::confirmed_only(&plan),
            risk: risk.map(|risk| {
                Box::new(GateFinding {
                    gate: Code::BlowupRisk,
                    code: Code::BlowupRisk,
                    severity: Severity::Error,
                    node_id: risk.node,
                    socket: risk.input,
                    cause: risk.cause,
                    fix: Some(risk.fix),
                })
            }),
        };
        if ok {
            let repaired = compiled.repaired_plan(&plan);
            self.take(repaired.unwrap_or_else(|| plan.as_ref().clone()), compiled);
        }
        Ok(answer)
    }

    /// This is what the next steps carry out.
    pub(crate) fn take(&mut self, plan: Plan, compiled: Compiled) {
        self.plan = Some(Arc::new(plan));
        self.diff = Arc::new(self.earlier.iter().chain(&compiled.diff).cloned().collect());
        self.compiled = Some(compiled);
    }

    /// The finding with the pointer that the reply has.
    fn trace(&self, finding: Finding) -> Finding {
        let finding = match &self.places {
            Some(places) => places.trace(finding),
            None => finding,
        };
        self.origins.trace(finding)
    }

    pub(crate) fn subject<'a>(
        &'a self,
        plan: &'a Plan,
        catalogue: &'a Catalogue,
        blender: &'a str,
    ) -> approval::Subject<'a> {
        approval::Subject {
            plan,
            document: &self.document,
            catalogue,
            settings: &self.settings,
            extensions: &self.extensions,
            blender,
            // Where nobody looks, there is nobody to show it to.
            preview: self.settings.preview && self.request.approve == Approve::Ask,
        }
    }

    /// Which scripts may run now.
    pub(crate) fn scripts(&self) -> Rules {
        Rules {
            allowed: self.settings.python,
            approve: self.request.approve,
            blender: self.blender(),
            longest_ms: self.settings.max_python_ms,
            later: !self.applied.is_empty(),
        }
    }

    /// Type and payload of the step that begins, if the host carries it out as it stands: a script, or a type that was added.
    pub(crate) fn hosted(&self, index: usize) -> Option<(String, Value)> {
        let action = &self.plan.as_ref()?.steps.get(index)?.action;
        let payload = match action {
            Action::Python(script) => {
                scripts::starts(script);
                serde_json::to_value(script).ok()?
            }
            Action::Added(step) => step.payload.clone(),
            Action::NodeTree(_) | Action::GnOps(_) => return None,
        };
        Some((action.type_name().to_owned(), payload))
    }

    /// Trees that an executor worked on; the gates may find them changed.
    pub(crate) fn executed(&mut self, trees: &[String]) {
        self.written.extend(trees.iter().cloned());
    }

    /// What the plan is expected to make beyond the budget, if it makes more than is there already.
    pub(crate) fn risk(&self, compiled: &Compiled, catalogue: &Catalogue) -> Option<Risk> {
        #[expect(clippy::cast_precision_loss, reason = "the setting is bounded to 32 bits")]
        let budget = self.settings.max_elements as f64;
        risk(&self.document, compiled, catalogue, budget)
    }

    /// The delta of a step; the first one is where the run begins to write.
    pub(crate) fn delta(&mut self, index: usize) -> Result<StepDelta, Failure> {
        let compiled = self.compiled.as_ref().ok_or_else(|| lost("compiled plan"))?;
        let delta = compiled.steps.get(index).cloned().ok_or_else(|| lost("step"))?;
        if index == 0 {
            for (name, tree) in &self.document.trees {
                if !self.written.contains(name) && !self.base.trees.contains_key(name) {
                    self.base.trees.insert(name.clone(), tree.clone());
                }
            }
            self.written.extend(compiled.touched_trees.iter().cloned());
            self.applied.extend(self.plan.as_deref().cloned());
        }
        Ok(delta)
    }

    /// Objects beside `known` of which a plan with a script expects something: only the script knows which ones it works on.
    pub(crate) fn expected_of_scripts(&self, known: &[String]) -> BTreeSet<String> {
        let scripted = |plan: &&Arc<Plan>| plan.steps.iter().any(|step| matches!(step.action, Action::Python(_)));
        let plans = self.plan.iter().filter(scripted);
        plans
            .flat_map(|plan| &plan.meta.expects)
            .map(|wish| wish.object_name.clone())
            .filter(|name| !known.contains(name))
            .collect()
    }

    pub(crate) fn judge(&mut self) -> Result<Answer, Failure> {
        let evidence = self.evidence.take().ok_or_else(|| lost("evidence"))?;
        let catalogue = self.catalogue()?;
        let trees: Vec<String> = self.written.iter().cloned().collect();
        let now = self
            .compiled
            .as_ref()
            .map(|compiled| verdict::now(&compiled.after, &evidence));
        let envelope = judge(&Facts {
            plans: &self.applied,
            before: &self.base,
            now: now.as_ref(),
            trees: &trees,
            evidence: &evidence,
            catalogue: Some(&catalogue),
            allow_empty: self.settings.allow_empty_result,
        });
        Ok(Answer::Judged { envelope })
    }

    pub(crate) fn keep_context(&mut self, json: &str) -> Result<Answer, Failure> {
        self.context = serde_json::from_str(json).map_err(|e| EngineError::document("context", &e))?;
        planner::read(&self.context)?;
        if let Some(trees) = self.context.pointer("/tree/trees") {
            self.seen = IndexMap::deserialize(trees).map_err(|e| EngineError::document("context", &e))?;
        }
        Ok(Answer::Context)
    }

    pub(crate) fn keep_document(&mut self, json: &str, purpose: Purpose) -> Result<Answer, Failure> {
        let document: Document = serde_json::from_str(json).map_err(|e| EngineError::document("document", &e))?;
        let fingerprint = fingerprint(&document);
        let mut conflict = None;
        match purpose {
            Purpose::Plan | Purpose::Approved => {
                for (name, tree) in &document.trees {
                    if !self.seen.contains_key(name) {
                        self.seen.insert(name.clone(), tree.clone());
                    }
                }
                self.document = document;
            }
            Purpose::Baseline => {
                self.seen.clone_from(&document.trees);
                self.left = document;
            }
            Purpose::Recheck => conflict = self.conflict(&document),
            Purpose::Slices => {
                let requests = self
                    .plan
                    .as_ref()
                    .map(|plan| plan.context_requests.as_slice())
                    .unwrap_or_default();
                let catalogue = self.catalogue()?;
                let answers = geonode_prompting::slices(requests, &self.context, &document, &catalogue);
                let requests = requests.to_vec();
                self.note_slices(&requests, &answers);
                self.slices = Some(answers);
                self.seen.extend(document.trees);
            }
        }
        Ok(Answer::Inspected { fingerprint, conflict })
    }

    /// What the run changed and what was changed by hand since its last turn, in words; none when nothing was.
    fn conflict(&self, now: &Document) -> Option<String> {
        let catalogue = self.catalogue().ok()?;
        let mut by_hand = Vec::new();
        for (name, tree) in &self.left.trees {
            match now.trees.get(name) {
                None => by_hand.push(format!("“{name}” is gone")),
                Some(present) if present != tree => {
                    let lines = changes(name, &self.left.trees, &now.trees, &catalogue);
                    by_hand.extend(lines.into_iter().map(|line| format!("“{name}”: {line}")));
                }
                Some(_) => {}
            }
        }
        for (name, object) in &self.left.objects {
            if now.objects.get(name) != Some(object) {
                by_hand.push(format!("the modifiers of “{name}”"));
            }
        }
        (!by_hand.is_empty()).then(|| {
            let by_run = if self.diff.is_empty() {
                "nothing".to_owned()
            } else {
                spelled(&self.diff)
            };
            format!("By hand: {}. By this run: {by_run}.", spelled(&by_hand))
        })
    }

    pub(crate) fn keep_evidence(&mut self, json: &str) -> Result<Answer, Failure> {
        self.evidence = Some(serde_json::from_str(json).map_err(|e| EngineError::document("evidence", &e))?);
        Ok(Answer::Evidence)
    }

    /// How many plans were applied and not taken back.
    pub(crate) fn writes(&self) -> usize {
        self.applied.len()
    }

    /// Everything that was written is taken back.
    pub(crate) fn forget_writes(&mut self) {
        self.applied.clear();
        self.base = Document::default();
        self.written.clear();
        self.earlier.clear();
    }
}

/// Equal for equal objects and trees; names of other data-blocks do not count, so that unrelated work of the artist's is no conflict.
fn fingerprint(document: &Document) -> String {
    let mut hasher = DefaultHasher::new();
    for part in [
        serde_json::to_string(&document.objects),
        serde_json::to_string(&document.trees),
    ] {
        part.unwrap_or_default().hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

pub(crate) fn lost(what: &str) -> Failure {
    EngineError::Internal(format!("the {what} of this run is not there")).into()
}

fn sum(a: Option<Usage>, b: Option<Usage>) -> Option<Usage> {
    let (Some(a), Some(b)) = (a, b) else { return a.or(b) };
    let add = |x: Option<u64>, y: Option<u64>| match (x, y) {
        (Some(x), Some(y)) => Some(x.saturating_add(y)),
        (x, y) => x.or(y),
    };
    Some(Usage {
        input_tokens: add(a.input_tokens, b.input_tokens),
        output_tokens: add(a.output_tokens, b.output_tokens),
        cached_tokens: add(a.cached_tokens, b.cached_tokens),
        cache_write_tokens: add(a.cache_write_tokens, b.cache_write_tokens),
        reasoning_tokens: add(a.reasoning_tokens, b.reasoning_tokens),
    })
}
