//! The answer of an extension's hook.

use scorel_engine::{AfterCall, BeforeCall, CallOpinion, MomentAnswer, MomentVerdict};
use scorel_proto::{Block, ContextOp, HookPoint};
use serde::Deserialize;
use serde_json::Value;

/// The result of `hook.run` for `beforeToolCall`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct BeforeReply {
    input: Option<Value>,
    decision: Option<HookDecision>,
    #[serde(default)]
    reason: String,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
enum HookDecision {
    /// The gate decides, as without a word.
    Pass,
    Ask,
    Deny,
}

/// The result of `hook.run` for `afterToolCall`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct AfterReply {
    content: Option<String>,
    is_error: Option<bool>,
    context: Option<String>,
}

/// The result of `hook.run` for `transformContext` and `convertToLlm`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct MomentReply {
    inject: Option<String>,
    #[serde(default)]
    edits: Vec<ContextOp>,
    decision: Option<TurnDecision>,
    #[serde(default)]
    reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
enum TurnDecision {
    Pass,
    /// At `start`: no model reads what the turn begins with.
    Deny,
    /// At `end`: the model reads the reason.
    GoOn,
    /// The turn ends as completed.
    Stop,
}

impl BeforeReply {
    pub(super) fn read(reply: Value) -> Result<BeforeCall, String> {
        let reply: Self = read(reply)?;
        if reply.input.as_ref().is_some_and(|input| !input.is_object()) {
            return Err("`input` is an object".to_owned());
        }
        let opinion = match reply.decision {
            None | Some(HookDecision::Pass) => CallOpinion::None,
            Some(HookDecision::Ask) => CallOpinion::Ask(reply.reason),
            Some(HookDecision::Deny) => CallOpinion::Deny(reply.reason),
        };
        Ok(BeforeCall {
            input: reply.input,
            opinion,
            ends_turn: None,
        })
    }
}

impl AfterReply {
    pub(super) fn read(reply: Value) -> Result<AfterCall, String> {
        let reply: Self = read(reply)?;
        Ok(AfterCall {
            content: reply.content.map(|text| vec![Block::text(text)]),
            is_error: reply.is_error,
            added: reply.context.map(Block::text).into_iter().collect(),
            ends_turn: None,
        })
    }
}

impl MomentReply {
    pub(super) fn read(point: HookPoint, reply: Value) -> Result<MomentAnswer, String> {
        let reply: Self = read(reply)?;
        let decision = reply.decision.unwrap_or(TurnDecision::Pass);
        let verdict = match (decision, point) {
            (TurnDecision::Pass, _) => MomentVerdict::Pass,
            (TurnDecision::Deny, HookPoint::Start) => MomentVerdict::Deny(reply.reason),
            (TurnDecision::GoOn, HookPoint::End) if !reply.reason.is_empty() => {
                MomentVerdict::GoOn(reply.reason)
            }
            (TurnDecision::GoOn, HookPoint::End) => {
                return Err("`goOn` has a `reason`, which the model reads".to_owned());
            }
            (TurnDecision::Stop, HookPoint::Start | HookPoint::Call | HookPoint::End) => {
                MomentVerdict::Stop(reply.reason)
            }
            _ => return Err("its `decision` is not one of this point".to_owned()),
        };
        Ok(MomentAnswer {
            inject: reply.inject,
            edits: reply.edits,
            verdict,
        })
    }
}

/// `null` is an answer without a word.
fn read<T: Default + for<'de> Deserialize<'de>>(reply: Value) -> Result<T, String> {
    match reply {
        Value::Null => Ok(T::default()),
        reply => serde_json::from_value(reply).map_err(|error| error.to_string()),
    }
}
