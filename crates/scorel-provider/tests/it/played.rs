//! Replies as the engine stores them.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{self, BoxFuture, FutureExt};
use scorel_engine::{
    Clock, EngineEvent, HookChain, OpenGate, Provider, RetryPolicy, StopSignal, ThinkingLevel,
    ToolList, TurnDriver, TurnLimits, TurnPorts, TurnStep,
};
use scorel_proto::{
    AssistantMessage, Block, Context, Message, StopReason, ToolResultBlock, ToolResultMessage,
};

/// Makes one model call and returns the message that the engine stores; `None` if the turn ended
/// without one.
pub(crate) async fn answer(
    provider: Arc<dyn Provider>,
    conversation: &Context,
) -> Option<AssistantMessage> {
    answers(provider, conversation.clone(), 1).await.pop()
}

/// Runs a turn with at most `calls` model calls and returns the messages that the engine stores.
/// Each is part of the next call's context.
pub(crate) async fn answers(
    provider: Arc<dyn Provider>,
    mut conversation: Context,
    calls: usize,
) -> Vec<AssistantMessage> {
    let ports = TurnPorts {
        provider,
        tools: ToolList::default(),
        gate: Arc::new(OpenGate),
        hooks: HookChain::default(),
        clock: Arc::new(StoppedClock),
        limits: TurnLimits::default(),
        retry: RetryPolicy::default(),
        system: String::new(),
        thinking: ThinkingLevel::Default,
    };
    let mut driver = TurnDriver::new(ports, StopSignal::new());
    let mut answers = Vec::new();
    while answers.len() < calls {
        match driver.next().await {
            TurnStep::NeedContext { .. } => driver.provide_context(conversation.clone()),
            TurnStep::Event(EngineEvent::MessageEnd { message }) => {
                conversation.push(Message::Assistant(message.clone()));
                answers.push(message);
            }
            TurnStep::NeedRoom(error) | TurnStep::NeedTools { error, .. } => panic!("{error:?}"),
            TurnStep::Event(_) => {}
            TurnStep::NeedPermission { .. }
            | TurnStep::NotReady(_)
            | TurnStep::NeedSpending { .. }
            | TurnStep::Suspended
            | TurnStep::Parked => panic!("nothing is asked, limited or stopped here"),
            TurnStep::Finished(_) => break,
        }
    }
    answers
}

/// The answer and the next messages; after a pause there is none.
pub(crate) fn continued(answer: AssistantMessage) -> Vec<Message> {
    let paused = answer.stop_reason == StopReason::Pause;
    let results: Vec<Message> = answer.tool_uses().map(result).collect();
    let mut messages = vec![Message::Assistant(answer)];
    if !paused && results.is_empty() {
        messages.push(Message::user("go on"));
    }
    messages.extend(results);
    messages
}

fn result(call: &Block) -> Message {
    let Block::ToolUse { id, name, .. } = call else {
        unreachable!("a call is a call")
    };
    let result = ToolResultBlock::error(id.clone(), "no");
    Message::ToolResult(ToolResultMessage::new(name.clone(), result, 1))
}

/// A clock that stands still: no call here takes long enough for a timeout.
#[derive(Debug)]
struct StoppedClock;

impl Clock for StoppedClock {
    fn unix_ms(&self) -> u64 {
        0
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn sleep(&self, _duration: Duration) -> BoxFuture<'static, ()> {
        future::pending().boxed()
    }
}
