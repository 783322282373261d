use std::sync::Arc;

use scorel_engine::{
    AfterCall, BeforeCall, CallOpinion, MomentAnswer, MomentVerdict, Reply, ToolCall,
};
use scorel_proto::{Block, HookPoint, HookTestEffect, HookTestEffectKind as Kind};
use serde_json::{Map, Value, json};

use super::super::{HookEvent, HookFigures, HookStage, HookTrial, moment_words};
use super::{CommandHook, sample};

impl CommandHook {
    /// Asks the hook about a sample as a turn would. `given` takes the place of fields of the sample. Nothing comes of
    /// the answer, and the figures of the hook stay.
    pub async fn tried(&self, tool: Option<&str>, mut given: Map<String, Value>) -> HookTrial {
        let call = sample::call(&self.entry, tool, &mut given);
        let call = self.place.tools.canonical(&call);
        if self.entry.event == HookEvent::SubagentStart {
            let agent = sample::agent(&self.entry, &given);
            given.entry("agent_id").or_insert(sample::AGENT.into());
            given.entry("agent_type").or_insert(agent.into());
        }
        let figures = Arc::new(HookFigures::keeping_runs());
        let hook = Self {
            figures: Arc::clone(&figures),
            given,
            ..self.clone()
        };
        let is_meant = hook.other_event().is_none() && hook.has_tool(&call);
        let effects = match is_meant {
            true => hook.effects(&call).await,
            false => Vec::new(),
        };
        let counts = figures.counts();
        HookTrial {
            unmatched: (counts.matched == 0).then(|| hook.unmatched(&call)),
            runs: figures.runs(),
            effects,
            failure: counts.last_error,
        }
    }

    /// The event of the input that is given, if it is another.
    fn other_event(&self) -> Option<&str> {
        let name = self.given.get("hook_event_name")?.as_str()?;
        (!self.entry.event.is_also(name)).then_some(name)
    }

    fn has_tool(&self, call: &ToolCall) -> bool {
        !self.entry.event.stage().is_of_calls() || self.entry.matcher.matches_tool(&call.name)
    }

    fn unmatched(&self, call: &ToolCall) -> String {
        let entry = &self.entry;
        let matcher = entry.matcher.as_str();
        match (&entry.condition, self.other_event()) {
            (_, Some(name)) => format!("the input is of `{name}`"),
            _ if !self.has_tool(call) => {
                format!("its matcher `{matcher}` does not match `{}`", call.name)
            }
            (Some(rule), _) => format!("its `if`, `{rule}`, does not hold for the call"),
            (None, _) => format!("its matcher `{matcher}` does not match the sample"),
        }
    }

    async fn effects(&self, call: &ToolCall) -> Vec<HookTestEffect> {
        let (hook, stage) = (self.clone(), self.entry.event.stage());
        match stage {
            HookStage::Listener => {
                let (kind, event) = sample::heard(&self.entry, &self.given);
                told(hook.hear(kind, &event).await)
            }
            HookStage::Context | HookStage::Convert => {
                let moment = sample::moment(&self.entry, &self.given);
                let agent = self.given.get("agent_type").and_then(Value::as_str);
                if !moment_words::matches(&self.entry, agent, &moment) {
                    return Vec::new();
                }
                match self.entry.is_async {
                    true => told(hook.word_at(moment).await),
                    false => at(moment.occasion.point(), hook.attend(moment).await),
                }
            }
            HookStage::After => {
                let outcome = sample::outcome(self.entry.event, &self.given);
                match self.entry.is_async {
                    true => told(hook.word_of(call.clone(), Some(&outcome)).await),
                    false => after(hook.look(call.clone(), outcome).await),
                }
            }
            HookStage::Before if self.entry.is_async => {
                told(hook.word_of(call.clone(), None).await)
            }
            HookStage::Before => before(hook.judge(call.clone()).await, self.entry.may_allow),
            HookStage::Question => reply(hook.reply(call.clone()).await, self.entry.may_allow),
        }
    }
}

fn effect(kind: Kind, text: impl Into<Option<String>>) -> HookTestEffect {
    let text = text.into();
    HookTestEffect { kind, text }
}

fn told(word: Option<String>) -> Vec<HookTestEffect> {
    let told = word.map(|text| effect(Kind::Told, text));
    told.into_iter().collect()
}

const fn yes(may_allow: bool) -> Kind {
    match may_allow {
        true => Kind::Allowed,
        false => Kind::AllowIgnored,
    }
}

fn before(answer: BeforeCall, may_allow: bool) -> Vec<HookTestEffect> {
    let opinion = match answer.opinion {
        CallOpinion::None => None,
        CallOpinion::Allow => Some(effect(yes(may_allow), None)),
        CallOpinion::Ask(reason) => Some(effect(Kind::Asked, reason)),
        CallOpinion::Deny(reason) | CallOpinion::Failed(reason) => {
            Some(effect(Kind::Denied, reason))
        }
    };
    let input = answer.input.map(|input| input.to_string());
    let input = input.map(|input| effect(Kind::InputChanged, input));
    let end = answer
        .ends_turn
        .map(|reason| effect(Kind::TurnEnds, reason));
    opinion.into_iter().chain(input).chain(end).collect()
}

fn after(answer: AfterCall) -> Vec<HookTestEffect> {
    let text = |blocks: &[Block]| Block::plain_text_of(blocks).trim().to_owned();
    let content = answer
        .content
        .map(|it| effect(Kind::ResultChanged, text(&it)));
    let failed = answer.is_error == Some(true);
    let failed = failed.then(|| effect(Kind::ResultFailed, None));
    let added = answer.added.iter();
    let added = added.map(|block| effect(Kind::Told, text(std::slice::from_ref(block))));
    let end = answer
        .ends_turn
        .map(|reason| effect(Kind::TurnEnds, reason));
    content
        .into_iter()
        .chain(failed)
        .chain(added)
        .chain(end)
        .collect()
}

fn reply(answer: Reply, may_allow: bool) -> Vec<HookTestEffect> {
    match answer {
        Reply::None => Vec::new(),
        Reply::Allow => vec![effect(yes(may_allow), None)],
        Reply::Deny(reason) => vec![effect(Kind::Denied, reason)],
    }
}

fn at(point: HookPoint, answer: MomentAnswer) -> Vec<HookTestEffect> {
    let verdict = match answer.verdict {
        MomentVerdict::Pass => None,
        MomentVerdict::Deny(reason) => Some(effect(Kind::Denied, reason)),
        MomentVerdict::GoOn(text) => Some(effect(Kind::TurnGoesOn, text)),
        MomentVerdict::Stop(reason) => Some(effect(Kind::TurnEnds, reason)),
        MomentVerdict::Fail(reason) => Some(effect(Kind::TurnFails, reason)),
    };
    let edits = !answer.edits.is_empty() && point != HookPoint::End;
    let edits = edits.then(|| effect(Kind::ContextChanged, json!(answer.edits).to_string()));
    // At the end of a turn and before a request only what makes it go on is told.
    let speaks = !matches!(point, HookPoint::End | HookPoint::Send);
    let inject = answer.inject.filter(|_| speaks);
    let inject = inject.map(|text| effect(Kind::Told, text));
    verdict.into_iter().chain(edits).chain(inject).collect()
}
