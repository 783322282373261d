mod sample;
mod trial;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt as _, ready};
use scorel_engine::{
    AfterCall, BeforeCall, CallOpinion, Hooks, Moment, MomentAnswer, MomentVerdict, Permit,
    Question, Reply, ToolCall, ToolList, ToolOutcome,
};
use scorel_proto::HookPoint;
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::claude::{CallView, HookEffect, HookOpinion, HookScene, changed_input, stdin, views};
use super::tool_result::{remark, replaced, told};
use super::{
    ContextPoint, HookAsides, HookCondition, HookEntry, HookEvent, HookFailure, HookFigures,
    HookProgram, HookStage, HookTranscript, OnFailure,
};
use super::{heard_words, moment_words};

/// The place of a turn's hooks: what the hooks of one layer share.
#[derive(Debug)]
pub struct HookPlace {
    pub scene: HookScene,
    pub program: HookProgram,
    /// The turn's tools, which know other spellings of their names and arguments.
    pub tools: ToolList,
    pub condition: Arc<dyn HookCondition>,
    /// Has the work done of hooks that nothing waits for.
    pub asides: Arc<dyn HookAsides>,
    pub transcript: Arc<dyn HookTranscript>,
}

/// A hook that is a command.
#[derive(Debug, Clone)]
pub struct CommandHook {
    entry: Arc<HookEntry>,
    place: Arc<HookPlace>,
    figures: Arc<HookFigures>,
    /// Take the place of fields of its input, when it is tested.
    given: Map<String, Value>,
}

impl CommandHook {
    pub fn new(entry: Arc<HookEntry>, place: Arc<HookPlace>, figures: Arc<HookFigures>) -> Self {
        Self {
            entry,
            place,
            figures,
            given: Map::new(),
        }
    }

    /// Returns whether it only hears of what a session publishes.
    pub fn listens(&self) -> bool {
        self.entry.event.stage() == HookStage::Listener
    }

    /// The events of sessions that it hears of.
    pub fn kinds(&self) -> &'static [&'static str] {
        heard_words::kinds(self.entry.event)
    }

    /// Hears of an event of the session. Returns what it has to say to the model.
    pub async fn hear(self, kind: &str, heard: &Value) -> Option<String> {
        let (word, more) = heard_words::told(self.entry.event, kind, heard);
        if !self.entry.matcher.matches(&word) {
            return None;
        }
        self.figures.matched();
        self.word(None, &self.input(None, more)).await
    }

    /// The command's text for the model, when nothing waits for it. A failure is in its figures.
    async fn word(&self, point: Option<ContextPoint>, input: &Value) -> Option<String> {
        let effect = self.run(point, input, self.entry.timeout).await.ok()?;
        match effect.opinion {
            HookOpinion::Block(reason) => Some(reason),
            _ => effect.context,
        }
    }

    /// The call as its tool takes it, if it waits for the hook at this stage. If nothing waits for the hook, it is run
    /// beside the turn.
    fn asked(
        &self,
        stage: HookStage,
        call: &ToolCall,
        outcome: Option<&ToolOutcome>,
    ) -> Option<ToolCall> {
        let (entry, tools) = (&self.entry, &self.place.tools);
        let tool = tools.get(&call.name);
        let name = tool.map_or(&call.name, |tool| &tool.spec().name);
        if entry.event.stage() != stage || !entry.matcher.matches_tool(name) {
            return None;
        }
        // Not before: it copies the arguments, and most hooks are for other calls.
        let call = tools.canonical(call);
        if !entry.is_async {
            return Some(call);
        }
        self.aside(self.clone().word_of(call, outcome));
        None
    }

    fn aside(&self, work: impl Future<Output = Option<String>> + Send + 'static) {
        self.place.asides.run(self.name(), work.boxed());
    }

    fn word_of(
        self,
        call: ToolCall,
        outcome: Option<&ToolOutcome>,
    ) -> impl Future<Output = Option<String>> + Send + use<> {
        let view = self.views(&call).swap_remove(0);
        let more = outcome.map(|outcome| told(&call.name, &view, outcome));
        let input = self.input(Some((&call, &view)), more.unwrap_or_default());
        async move {
            match self.is_meant(&call).await {
                true => self.word(None, &input).await,
                false => None,
            }
        }
    }

    async fn word_at(self, moment: Moment) -> Option<String> {
        self.figures.matched();
        let point = moment_words::point(self.entry.event, &moment.occasion);
        let input = self.input(None, moment_words::told(&moment));
        self.word(point, &input).await
    }

    /// True if the call matches the entry's rule as well, which is counted.
    async fn is_meant(&self, call: &ToolCall) -> bool {
        if let Some(rule) = &self.entry.condition {
            let plan = self.place.tools.plan(call.clone()).await;
            if !self.place.condition.holds(rule, plan.effects()).await {
                return false;
            }
        }
        self.figures.matched();
        true
    }

    async fn judge(self, mut call: ToolCall) -> BeforeCall {
        if !self.is_meant(&call).await {
            return BeforeCall::default();
        }
        let began = Instant::now();
        let mut answer = BeforeCall::default();
        // Their number stays: a hook changes the arguments of a replacement, and adds none.
        let shown = self.views(&call).len();
        for index in 0..shown {
            let views = self.views(&call);
            let Some(view) = views.get(index) else { break };
            let effect = match self.ask(&call, view, Map::new(), began).await {
                Ok(effect) => effect,
                Err(failure) if self.entry.on_failure == OnFailure::Fail => {
                    return opinion(CallOpinion::Failed(failure.to_string()));
                }
                // Not even one that it has allowed before it failed.
                Err(_) => HookEffect::default(),
            };
            if let Some(reason) = effect.stop {
                let ends_turn = Some(reason.clone());
                return BeforeCall {
                    ends_turn,
                    ..self.denied(reason)
                };
            }
            answer.opinion = match effect.opinion {
                HookOpinion::Block(reason) => return self.denied(reason),
                // Of several replacements, one that asks has the call asked about.
                HookOpinion::Ask(reason) => CallOpinion::Ask(reason),
                HookOpinion::Allow(_) if answer.opinion == CallOpinion::None && index == 0 => {
                    CallOpinion::Allow
                }
                HookOpinion::None if answer.opinion == CallOpinion::Allow => CallOpinion::None,
                _ => answer.opinion,
            };
            if let Some(updated) = effect.updated_input
                && let Some(changed) = changed_input(&call.name, &call.input, view, &updated)
            {
                self.figures.changed();
                call.input = changed.clone();
                answer.input = Some(changed);
            }
        }
        answer
    }

    fn denied(&self, reason: String) -> BeforeCall {
        self.figures.denied();
        let reason = Some(reason).filter(|reason| !reason.trim().is_empty());
        let reason = reason.unwrap_or_else(|| "it gave no reason".to_owned());
        opinion(CallOpinion::Deny(reason))
    }

    async fn look(self, call: ToolCall, outcome: ToolOutcome) -> AfterCall {
        if !self.is_meant(&call).await {
            return AfterCall::default();
        }
        let began = Instant::now();
        let mut answer = AfterCall::default();
        for view in self.views(&call) {
            let more = told(&call.name, &view, &outcome);
            match self.ask(&call, &view, more, began).await {
                Ok(effect) => self.add(effect, &mut answer),
                Err(_) if self.entry.on_failure == OnFailure::Ignore => {}
                Err(failure) => {
                    answer.is_error = Some(true);
                    let text = format!("the hook failed: {failure}");
                    answer.added.push(remark(self.name(), &text));
                }
            }
        }
        answer
    }

    async fn reply(self, call: ToolCall) -> Reply {
        if !self.is_meant(&call).await {
            return Reply::None;
        }
        let began = Instant::now();
        let mut reply = Reply::None;
        for view in self.views(&call) {
            match self.ask(&call, &view, Map::new(), began).await {
                Ok(effect) => match effect.opinion {
                    HookOpinion::Block(reason) => {
                        self.figures.denied();
                        return Reply::Deny(reason);
                    }
                    // What changes the question is no answer to it.
                    HookOpinion::Allow(_) if effect.updated_input.is_none() => reply = Reply::Allow,
                    _ => return Reply::None,
                },
                Err(_) if self.entry.on_failure == OnFailure::Ignore => return Reply::None,
                Err(failure) => return Reply::Deny(failure.to_string()),
            }
        }
        reply
    }

    fn add(&self, effect: HookEffect, answer: &mut AfterCall) {
        answer.ends_turn = answer.ends_turn.take().or(effect.stop);
        if let Some(output) = effect.output {
            self.figures.changed();
            answer.content = Some(replaced(&output));
        }
        let block = match effect.opinion {
            HookOpinion::Block(reason) => Some(reason),
            _ => None,
        };
        for text in block.into_iter().chain(effect.context) {
            answer.added.push(remark(self.name(), &text));
        }
    }

    async fn attend(self, moment: Moment) -> MomentAnswer {
        self.figures.matched();
        let entry = &self.entry;
        let point = moment_words::point(self.entry.event, &moment.occasion);
        let input = self.input(None, moment_words::told(&moment));
        let ran = self.run(point, &input, entry.timeout).await;
        let answer = ran.and_then(|effect| {
            let answer = moment_words::answered(&moment.occasion, effect);
            answer.map_err(HookFailure::from)
        });
        match (answer, entry.on_failure) {
            (Ok(answer), _) => {
                match answer.verdict {
                    MomentVerdict::Deny(_) => self.figures.denied(),
                    _ if !answer.edits.is_empty() => self.figures.changed(),
                    _ => {}
                }
                answer
            }
            (Err(_), OnFailure::Ignore) => MomentAnswer::default(),
            (Err(failure), OnFailure::Fail) => MomentAnswer {
                verdict: MomentVerdict::Fail(failure.to_string()),
                ..MomentAnswer::default()
            },
        }
    }

    /// Runs the command about a view of a call, in what is left of its time.
    async fn ask(
        &self,
        call: &ToolCall,
        view: &CallView,
        more: Map<String, Value>,
        began: Instant,
    ) -> Result<HookEffect, HookFailure> {
        let entry = &self.entry;
        let left = entry.timeout.saturating_sub(began.elapsed());
        if left.is_zero() {
            return Err(HookFailure::TimedOut(entry.timeout.as_secs()));
        }
        let input = self.input(Some((call, view)), more);
        self.run(None, &input, left).await
    }

    async fn run(
        &self,
        point: Option<ContextPoint>,
        input: &Value,
        limit: Duration,
    ) -> Result<HookEffect, HookFailure> {
        let _transcript = self.place.transcript.write().await;
        let program = &self.place.program;
        let ran = program.run(&self.entry, point, input, limit, &self.figures);
        ran.await
    }

    /// The call as commands see it: at least one view.
    fn views(&self, call: &ToolCall) -> Vec<CallView> {
        views(&call.name, &call.input, &self.place.scene.directory)
    }

    fn input(&self, call: Option<(&ToolCall, &CallView)>, more: Map<String, Value>) -> Value {
        let mut input = stdin(&self.place.scene, self.entry.event, call, more);
        if let Some(fields) = input.as_object_mut() {
            fields.extend(self.given.clone());
        }
        input
    }
}

fn opinion(opinion: CallOpinion) -> BeforeCall {
    BeforeCall {
        opinion,
        ..BeforeCall::default()
    }
}

impl Hooks for CommandHook {
    fn name(&self) -> &str {
        self.entry.name.as_str()
    }

    fn before(&self, call: &ToolCall) -> BoxFuture<'static, BeforeCall> {
        match self.asked(HookStage::Before, call, None) {
            Some(call) => self.clone().judge(call).boxed(),
            None => ready(BeforeCall::default()).boxed(),
        }
    }

    fn after(
        &self,
        call: &ToolCall,
        _permit: &Permit,
        outcome: &ToolOutcome,
    ) -> BoxFuture<'static, AfterCall> {
        let is_meant = match self.entry.event {
            HookEvent::PostToolUse => !outcome.is_error,
            HookEvent::PostToolUseFailure => outcome.is_error,
            _ => true,
        };
        let asked = || self.asked(HookStage::After, call, Some(outcome));
        match is_meant.then(asked).flatten() {
            Some(call) => self.clone().look(call, outcome.clone()).boxed(),
            None => ready(AfterCall::default()).boxed(),
        }
    }

    fn may_allow(&self) -> bool {
        self.entry.may_allow
    }

    fn only_reads(&self) -> bool {
        self.entry.parallel
    }

    fn question(&self, call: &ToolCall, _question: &Question) -> BoxFuture<'static, Reply> {
        match self.asked(HookStage::Question, call, None) {
            Some(call) => self.clone().reply(call).boxed(),
            None => ready(Reply::None).boxed(),
        }
    }

    fn attends(&self, point: HookPoint) -> bool {
        self.entry.event.is_asked_at(&self.entry.points, point)
    }

    fn attends_beginnings(&self) -> bool {
        self.entry.event.is_of_beginnings()
    }

    fn at(&self, moment: &Moment) -> BoxFuture<'static, MomentAnswer> {
        let agent = self.place.scene.agent.as_ref();
        let agent = agent.map(|it| it.agent_type.as_str());
        match moment_words::matches(&self.entry, agent, moment) {
            true if self.entry.is_async => {
                self.aside(self.clone().word_at(moment.clone()));
                ready(MomentAnswer::default()).boxed()
            }
            true => self.clone().attend(moment.clone()).boxed(),
            false => ready(MomentAnswer::default()).boxed(),
        }
    }
}
