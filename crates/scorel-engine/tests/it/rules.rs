//! What holds for every turn, however it goes.

use std::collections::{HashMap, HashSet, VecDeque};

use scorel_engine::{EngineEvent, TurnEnd};
use scorel_proto::{AssistantMessage, Block, OutcomeReason};

/// Checks the events of a turn that has made `steps` model calls before, and its end.
pub(crate) fn check(steps: u32, events: &[EngineEvent], end: &TurnEnd) {
    let mut rules = Rules {
        steps,
        ..Rules::default()
    };
    for (place, event) in events.iter().enumerate() {
        if let Err(broken) = rules.event(event) {
            panic!("{broken}, at event {place} of {events:#?}");
        }
    }
    if let Err(broken) = rules.end(end) {
        panic!("{broken}, at the end of {events:#?}");
    }
}

#[derive(Default)]
struct Rules {
    steps: u32,
    /// Inside `TurnStart` … `TurnEnd`.
    in_turn: bool,
    /// The text so far of the message that has begun.
    message: Option<HashMap<u32, String>>,
    /// Whether the call under way had its message, or lost it.
    message_over: bool,
    /// The calls of the last message that have no result yet, in order.
    asked: VecDeque<String>,
    running: HashSet<String>,
    ended: HashSet<String>,
    /// The calls of this step that were announced.
    announced: HashSet<String>,
}

type RuleCheck = Result<(), String>;

fn demand(holds: bool, rule: &str) -> RuleCheck {
    if holds { Ok(()) } else { Err(rule.to_owned()) }
}

impl Rules {
    fn event(&mut self, event: &EngineEvent) -> RuleCheck {
        use EngineEvent as E;
        let starts = matches!(event, E::TurnStart { .. });
        let waits = matches!(event, E::Waiting { .. });
        demand(
            self.in_turn != (starts || waits),
            "events stand between start and end",
        )?;
        match event {
            E::TurnStart { index } => self.turn_start(*index),
            E::MessageStart { .. } => self.message_start(),
            E::TextDelta { block, delta } => self.delta(*block, delta, true),
            E::ThinkingDelta { block, delta } => self.delta(*block, delta, false),
            E::ToolCallDelta { block, delta, .. } => self.delta(*block, delta, false),
            E::MessageEnd { message } => self.message_end(message),
            E::MessageCancelled { .. } => {
                self.message_over = true;
                demand(self.message.take().is_some(), "what is cancelled had begun")
            }
            E::ToolExecutionStart { call, .. } => self.tool_start(&call.id),
            E::ToolExecutionUpdate { call_id, .. } => demand(
                self.running.contains(call_id),
                "only a running tool shows something",
            ),
            E::ToolExecutionEnd { call_id, .. } => {
                self.ended.insert(call_id.clone());
                demand(self.running.remove(call_id), "a tool that ends was running")
            }
            E::ToolResult { message, .. } => self.result(&message.result().tool_use_id),
            E::TurnEnd { index, .. } => self.turn_end(*index),
            E::Retrying { .. } => {
                let idle = self.message.is_none() && !self.message_over;
                demand(idle, "only a call that showed nothing is made again")
            }
            E::Waiting { .. } => {
                let idle = self.message.is_none() && !self.message_over;
                // The call is made again after the wait, with its number.
                self.steps -= 1;
                demand(idle, "only a call that showed nothing waits")
            }
            E::CallCharged { .. } => demand(!self.message_over, "a message has its own usage"),
        }
    }

    fn turn_start(&mut self, index: u32) -> RuleCheck {
        demand(index == self.steps, "model calls are numbered")?;
        *self = Self {
            steps: self.steps + 1,
            in_turn: true,
            ..Self::default()
        };
        Ok(())
    }

    fn message_start(&mut self) -> RuleCheck {
        demand(
            self.message.is_none() && !self.message_over,
            "a call has one message",
        )?;
        self.message = Some(HashMap::new());
        Ok(())
    }

    fn delta(&mut self, block: u32, delta: &str, is_text: bool) -> RuleCheck {
        let message = self.message.as_mut().ok_or("deltas are of a message")?;
        let known = u32::try_from(message.len()).unwrap();
        demand(block <= known, "blocks are numbered without holes")?;
        let text = message.entry(block).or_default();
        if is_text {
            text.push_str(delta);
        }
        Ok(())
    }

    fn message_end(&mut self, message: &AssistantMessage) -> RuleCheck {
        let shown = self.message.take().ok_or("a message that ends had begun")?;
        self.message_over = true;
        let texts: HashSet<&String> = shown.values().filter(|text| !text.is_empty()).collect();
        let kept: HashSet<&String> = message.content.iter().filter_map(text).collect();
        demand(texts == kept, "what was shown is what is kept")?;
        self.asked = message.tool_uses().filter_map(id).collect();
        demand(
            !message.partial || self.asked.is_empty(),
            "a partial message has no calls",
        )?;
        let distinct: HashSet<&String> = self.asked.iter().collect();
        demand(distinct.len() == self.asked.len(), "call ids are distinct")
    }

    fn tool_start(&mut self, id: &str) -> RuleCheck {
        demand(self.message_over, "tools run after the message")?;
        demand(
            self.asked.iter().any(|asked| asked == id),
            "a tool that runs was asked for",
        )?;
        demand(
            self.announced.insert(id.to_owned()),
            "a call is announced once",
        )?;
        self.running.insert(id.to_owned());
        Ok(())
    }

    fn result(&mut self, id: &str) -> RuleCheck {
        demand(
            self.asked.pop_front().as_deref() == Some(id),
            "results come once, in the order of the calls",
        )?;
        demand(
            self.ended.contains(id) == self.announced.contains(id),
            "an announced call ends before its result",
        )
    }

    fn turn_end(&mut self, index: u32) -> RuleCheck {
        self.in_turn = false;
        demand(index + 1 == self.steps, "the end has the start's number")?;
        demand(self.message.is_none(), "no message is left open")?;
        demand(self.asked.is_empty(), "no call is left without its result")?;
        demand(self.running.is_empty(), "no tool is left running")
    }

    fn end(&self, end: &TurnEnd) -> RuleCheck {
        demand(!self.in_turn, "the last call has its end")?;
        demand(end.steps == self.steps, "the end counts the model calls")?;
        let clean = matches!(
            end.reason,
            OutcomeReason::Completed | OutcomeReason::Cancelled
        );
        demand(clean == end.error.is_none(), "a failure says what it was")
    }
}

fn text(block: &Block) -> Option<&String> {
    match block {
        Block::Text { text, .. } => Some(text),
        _ => None,
    }
}

fn id(block: &Block) -> Option<String> {
    match block {
        Block::ToolUse { id, .. } => Some(id.clone()),
        _ => None,
    }
}
