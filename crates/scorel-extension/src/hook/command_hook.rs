use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _, ready};
use scorel_engine::{
    AfterCall, BeforeCall, CallOpinion, Hooks, Moment, MomentAnswer, MomentVerdict, Permit,
    Question, Reply, ToolCall, ToolList, ToolOutcome,
};
use scorel_proto::HookPoint;
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::claude::{
    CallView, HookCall, HookEffect, HookOpinion, HookScene, changed_input, stdin, views,
};
use super::tool_result::{remark, replaced, told};
use super::{
    ContextPoint, HookAsides, HookCondition, HookEntry, HookEvent, HookFailure, HookFigures,
    HookProgram, HookStage, OnFailure,
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
}

/// A hook that is a command.
#[derive(Debug, Clone)]
pub struct CommandHook {
    entry: Arc<HookEntry>,
    place: Arc<HookPlace>,
    figures: Arc<HookFigures>,
}

impl CommandHook {
    pub const fn new(
        entry: Arc<HookEntry>,
        place: Arc<HookPlace>,
        figures: Arc<HookFigures>,
    ) -> Self {
        Self {
            entry,
            place,
            figures,
        }
    }

    /// Returns whether it has to be asked at this stage about calls of this tool.
    fn is_for(&self, stage: HookStage, tool: &str) -> bool {
        let entry = &self.entry;
        entry.event.stage() == stage && entry.matcher.matches_tool(tool)
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
        let input = stdin(&self.place.scene, self.entry.event, None, more);
        self.word(None, &input).await
    }

    /// The command's text for the model, when nothing waits for it. A failure is in its figures.
    async fn word(&self, point: Option<ContextPoint>, input: &Value) -> Option<String> {
        let (entry, program) = (&self.entry, &self.place.program);
        let ran = program.run(entry, point, input, entry.timeout, &self.figures);
        let effect = ran.await.ok()?;
        match effect.opinion {
            HookOpinion::Block(reason) => Some(reason),
            _ => effect.context,
        }
    }

    /// Has the command run beside the turn.
    fn aside(&self, point: Option<ContextPoint>, input: Value) {
        self.figures.matched();
        let hook = self.clone();
        let work = async move { hook.word(point, &input).await };
        self.place
            .asides
            .run(self.entry.name.as_str(), work.boxed());
    }

    /// Has the command run beside the turn about a call.
    fn aside_of(&self, call: &ToolCall, outcome: Option<&ToolOutcome>) {
        let views = views(&call.name, &call.input, &self.place.scene.directory);
        let Some(view) = views.first() else { return };
        let more = outcome.map(|outcome| told(&call.name, view, outcome));
        let told = HookCall {
            id: &call.id,
            tool: &call.name,
            input: &call.input,
        };
        let scene = &self.place.scene;
        let input = stdin(
            scene,
            self.entry.event,
            Some((told, view)),
            more.unwrap_or_default(),
        );
        let (hook, call) = (self.clone(), call.clone());
        let work = async move {
            if !hook.holds(&call).await {
                return None;
            }
            hook.figures.matched();
            hook.word(None, &input).await
        };
        self.place
            .asides
            .run(self.entry.name.as_str(), work.boxed());
    }

    async fn holds(&self, call: &ToolCall) -> bool {
        let Some(rule) = &self.entry.condition else {
            return true;
        };
        let plan = self.place.tools.plan(call.clone()).await;
        self.place.condition.holds(rule, plan.effects()).await
    }

    async fn judge(self, mut call: ToolCall) -> BeforeCall {
        if !self.holds(&call).await {
            return BeforeCall::default();
        }
        self.figures.matched();
        let began = Instant::now();
        let mut answer = BeforeCall::default();
        // Their number stays: a hook changes the arguments of a replacement, and adds none.
        let shown = views(&call.name, &call.input, &self.place.scene.directory).len();
        for index in 0..shown {
            let views = views(&call.name, &call.input, &self.place.scene.directory);
            let Some(view) = views.get(index) else { break };
            let effect = match self.ask(&call, view, Map::new(), began).await {
                Ok(effect) => effect,
                Err(failure) if self.entry.on_failure == OnFailure::Fail => {
                    return failed(&failure);
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
        BeforeCall {
            opinion: CallOpinion::Deny(reason.unwrap_or_else(|| "it gave no reason".to_owned())),
            ..BeforeCall::default()
        }
    }

    async fn look(self, call: ToolCall, outcome: ToolOutcome) -> AfterCall {
        if !self.holds(&call).await {
            return AfterCall::default();
        }
        self.figures.matched();
        let began = Instant::now();
        let mut answer = AfterCall::default();
        for view in views(&call.name, &call.input, &self.place.scene.directory) {
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
        if !self.holds(&call).await {
            return Reply::None;
        }
        self.figures.matched();
        let began = Instant::now();
        let mut reply = Reply::None;
        for view in views(&call.name, &call.input, &self.place.scene.directory) {
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
        let point = moment_words::point(&moment.occasion);
        let more = moment_words::told(entry.event, &moment);
        let input = stdin(&self.place.scene, entry.event, None, more);
        let program = &self.place.program;
        let ran = program.run(entry, point, &input, entry.timeout, &self.figures);
        let answer = ran.await.and_then(|effect| {
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
        let told = HookCall {
            id: &call.id,
            tool: &call.name,
            input: &call.input,
        };
        let input = stdin(&self.place.scene, entry.event, Some((told, view)), more);
        let program = &self.place.program;
        program.run(entry, None, &input, left, &self.figures).await
    }
}

/// The answer of a guard that could not look at the call.
fn failed(failure: &HookFailure) -> BeforeCall {
    BeforeCall {
        opinion: CallOpinion::Failed(failure.to_string()),
        ..BeforeCall::default()
    }
}

impl Hooks for CommandHook {
    fn name(&self) -> &str {
        self.entry.name.as_str()
    }

    fn before(&self, call: &ToolCall) -> BoxFuture<'static, BeforeCall> {
        let call = self.place.tools.canonical(call);
        if !self.is_for(HookStage::Before, &call.name) {
            return ready(BeforeCall::default()).boxed();
        }
        if self.entry.is_async {
            self.aside_of(&call, None);
            return ready(BeforeCall::default()).boxed();
        }
        self.clone().judge(call).boxed()
    }

    fn after(
        &self,
        call: &ToolCall,
        _permit: &Permit,
        outcome: &ToolOutcome,
    ) -> BoxFuture<'static, AfterCall> {
        let call = self.place.tools.canonical(call);
        let is_meant = match self.entry.event {
            HookEvent::PostToolUse => !outcome.is_error,
            HookEvent::PostToolUseFailure => outcome.is_error,
            _ => true,
        };
        if !is_meant || !self.is_for(HookStage::After, &call.name) {
            return ready(AfterCall::default()).boxed();
        }
        if self.entry.is_async {
            self.aside_of(&call, Some(outcome));
            return ready(AfterCall::default()).boxed();
        }
        self.clone().look(call, outcome.clone()).boxed()
    }

    fn may_allow(&self) -> bool {
        self.entry.may_allow
    }

    fn only_reads(&self) -> bool {
        self.entry.parallel
    }

    fn question(&self, call: &ToolCall, _question: &Question) -> BoxFuture<'static, Reply> {
        let call = self.place.tools.canonical(call);
        if !self.is_for(HookStage::Question, &call.name) {
            return ready(Reply::None).boxed();
        }
        self.clone().reply(call).boxed()
    }

    fn attends(&self, point: HookPoint) -> bool {
        moment_words::attends(&self.entry, point)
    }

    fn at(&self, moment: &Moment) -> BoxFuture<'static, MomentAnswer> {
        match moment_words::matches(&self.entry, moment) {
            true if self.entry.is_async => {
                let more = moment_words::told(self.entry.event, moment);
                let input = stdin(&self.place.scene, self.entry.event, None, more);
                self.aside(moment_words::point(&moment.occasion), input);
                ready(MomentAnswer::default()).boxed()
            }
            true => self.clone().attend(moment.clone()).boxed(),
            false => ready(MomentAnswer::default()).boxed(),
        }
    }
}
