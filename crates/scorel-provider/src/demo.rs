//! The offline demo model: no network, no key, deterministic.
//!
//! In: a request with the engine's tools. Out: the event stream of a scripted reply, paced like a
//! real one. It exists so that the first run shows a whole tool loop before a key is configured.

mod listing;
mod run;
mod script;
mod turn;

use std::time::Duration;

use futures_util::stream::{self, StreamExt};
use scorel_engine::{ModelInfo, ModelRequest, Provider, ProviderEvent, ProviderStream, TokenPrice};
use scorel_proto::{StopReason, Usage};

use run::DemoRun;
use script::{DemoCall, DemoReply};
use turn::DemoTurn;

/// The size of an arguments delta, in characters: small, so that clients see arguments stream.
const ARGUMENT_PIECE: usize = 8;

/// Looks at the project with the tools of the request and describes what they return.
#[derive(Debug)]
pub(crate) struct Demo {
    model: ModelInfo,
    /// The delay before each event but the first.
    pace: Duration,
}

impl Demo {
    /// The name of both the provider and its only model.
    pub(crate) const NAME: &str = "demo";
    pub(crate) const CONTEXT_WINDOW: u64 = 1_000_000;
    pub(crate) const MAX_OUTPUT_TOKENS: u64 = 8_192;

    pub(crate) fn new(pace: Duration) -> Self {
        Self {
            model: ModelInfo {
                provider: Self::NAME.to_owned(),
                id: Self::NAME.to_owned(),
                context_window: Self::CONTEXT_WINDOW,
                max_output_tokens: Self::MAX_OUTPUT_TOKENS,
                price: Some(TokenPrice::FREE),
            },
            pace,
        }
    }
}

impl Provider for Demo {
    fn model(&self) -> &ModelInfo {
        &self.model
    }

    fn stream(&self, request: ModelRequest) -> ProviderStream {
        let pace = self.pace;
        let events = reply_events(&request, &self.model.id);
        stream::iter(events.into_iter().enumerate())
            .then(move |(number, event)| async move {
                if number > 0 && !pace.is_zero() {
                    tokio::time::sleep(pace).await;
                }
                Ok(event)
            })
            .boxed()
    }
}

fn reply_events(request: &ModelRequest, model: &str) -> Vec<ProviderEvent> {
    let turn = DemoTurn::of(request);
    let reply = match DemoRun::of(request) {
        Some(run) => run.reply(),
        None => script::reply(&turn, &request.tools),
    };
    let mut events = vec![ProviderEvent::Start {
        model: Some(model.to_owned()),
    }];
    let pieces = reply.text.split_inclusive(' ');
    events.extend(pieces.map(|piece| ProviderEvent::Text {
        block: 0,
        delta: piece.to_owned(),
    }));
    if let Some(call) = &reply.call {
        let id = format!("demo_call_{}", turn.earlier_calls + 1);
        events.extend(call_events(id, call));
    }
    events.push(ProviderEvent::Done {
        stop_reason: if reply.call.is_some() {
            StopReason::ToolUse
        } else {
            StopReason::EndTurn
        },
        usage: Some(usage(&turn, &reply)),
        charged: None,
        provider: None,
    });
    events
}

fn call_events(id: String, call: &DemoCall) -> Vec<ProviderEvent> {
    let mut events = vec![ProviderEvent::ToolCallStart {
        block: 1,
        id,
        name: call.name.to_owned(),
        provider: None,
    }];
    let arguments: Vec<char> = call.input.to_string().chars().collect();
    events.extend(
        arguments
            .chunks(ARGUMENT_PIECE)
            .map(|piece| ProviderEvent::ToolCallDelta {
                block: 1,
                delta: piece.iter().collect(),
            }),
    );
    events
}

/// Counts words, since there is no tokenizer.
fn usage(turn: &DemoTurn, reply: &DemoReply) -> Usage {
    let output = reply.text.split_whitespace().count() + usize::from(reply.call.is_some());
    Usage {
        input_tokens: turn.words,
        output_tokens: output as u64,
        ..Usage::default()
    }
}

#[cfg(test)]
mod tests;
