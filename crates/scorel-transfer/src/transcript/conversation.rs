//! What makes a well-formed history of what a tool has written.

use scorel_proto::{
    AssistantMessage, Block, ImportReport, Meta, OutcomeReason, StopReason, ToolResultBlock,
    ToolResultMessage,
};

use super::item::{TranscriptItem, TranscriptSink};

/// The result of a call that has none.
const NO_RESULT: &str = "The transcript has no result of this call.";

/// Stands for a message of the user that the transcript does not have.
const GOES_ON: &str = "(The conversation continues here.)";

/// Which blocks belong to one answer of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StepKey {
    /// Those with the same id.
    Id(String),
    /// Those with no result between them.
    Adjacent,
}

/// A conversation that is being taken over.
#[derive(Debug)]
pub(super) struct Conversation<'a, S> {
    pub(super) sink: &'a mut S,
    /// Whether a turn is open.
    is_open: bool,
    /// Whether the model has answered in it.
    is_answered: bool,
    /// Whether anything was given to the sink.
    has_begun: bool,
    step: Option<Step>,
    last_ts: u64,
}

/// An answer with the results of its calls.
#[derive(Debug)]
struct Step {
    ts: u64,
    key: StepKey,
    model: String,
    blocks: Vec<Block>,
    results: Vec<(u64, ToolResultBlock)>,
}

impl Step {
    fn takes(&self, key: &StepKey) -> bool {
        match key {
            StepKey::Id(_) => self.key == *key,
            StepKey::Adjacent => self.key == *key && self.results.is_empty(),
        }
    }

    fn waits_for(&self, id: &str) -> bool {
        let is_called = self
            .blocks
            .iter()
            .any(|block| matches!(block, Block::ToolUse { id: known, .. } if known == id));
        is_called && !self.results.iter().any(|(_, it)| it.tool_use_id == id)
    }
}

impl<'a, S: TranscriptSink> Conversation<'a, S> {
    pub(super) const fn new(sink: &'a mut S) -> Self {
        Self {
            sink,
            is_open: false,
            is_answered: false,
            has_begun: false,
            step: None,
            last_ts: 0,
        }
    }

    /// A message of the user.
    pub(super) fn user(
        &mut self,
        ts: Option<u64>,
        content: Vec<Block>,
        report: &mut ImportReport,
    ) -> Result<(), S::Error> {
        let ts = self.at(ts);
        self.end_turn(report)?;
        report.messages += 1;
        self.begin(ts, content)
    }

    /// Blocks of an answer of the model.
    pub(super) fn answer(
        &mut self,
        ts: Option<u64>,
        (key, model): (StepKey, &str),
        blocks: Vec<Block>,
        report: &mut ImportReport,
    ) -> Result<(), S::Error> {
        let ts = self.at(ts);
        if let Some(step) = self.step.as_mut().filter(|step| step.takes(&key)) {
            step.blocks.extend(blocks);
            return Ok(());
        }
        self.end_step(report)?;
        if !self.is_open {
            self.begin(ts, vec![Block::text(GOES_ON)])?;
        }
        self.step = Some(Step {
            ts,
            key,
            model: model.to_owned(),
            blocks,
            results: Vec::new(),
        });
        Ok(())
    }

    /// The result of a call. Returns whether the last answer has this call.
    pub(super) fn result(&mut self, ts: Option<u64>, result: ToolResultBlock) -> bool {
        let ts = self.at(ts);
        let id = &result.tool_use_id;
        match self.step.as_mut().filter(|step| step.waits_for(id)) {
            Some(step) => {
                step.results.push((ts, result));
                true
            }
            None => false,
        }
    }

    /// A summary of everything before it.
    pub(super) fn summary(
        &mut self,
        ts: Option<u64>,
        text: String,
        report: &mut ImportReport,
    ) -> Result<(), S::Error> {
        let ts = self.at(ts);
        self.end_turn(report)?;
        report.messages += 1;
        if self.has_begun {
            return self.sink.item(TranscriptItem::Summary { ts, text });
        }
        self.begin(ts, vec![Block::text(text)])
    }

    /// The user has interrupted the turn.
    pub(super) fn interrupted(&mut self, report: &mut ImportReport) -> Result<(), S::Error> {
        self.end_step(report)?;
        self.close(OutcomeReason::Cancelled)
    }

    /// The end of the transcript.
    pub(super) fn finish(mut self, report: &mut ImportReport) -> Result<(), S::Error> {
        self.end_turn(report)
    }

    /// The time of a line; without one, that of the line before.
    fn at(&mut self, ts: Option<u64>) -> u64 {
        self.last_ts = ts.unwrap_or(self.last_ts);
        self.last_ts
    }

    fn begin(&mut self, ts: u64, content: Vec<Block>) -> Result<(), S::Error> {
        self.is_open = true;
        self.is_answered = false;
        self.has_begun = true;
        self.sink.item(TranscriptItem::User { ts, content })
    }

    fn end_turn(&mut self, report: &mut ImportReport) -> Result<(), S::Error> {
        self.end_step(report)?;
        let reason = if self.is_answered {
            OutcomeReason::Completed
        } else {
            OutcomeReason::Interrupted
        };
        self.close(reason)
    }

    fn close(&mut self, reason: OutcomeReason) -> Result<(), S::Error> {
        if !std::mem::take(&mut self.is_open) {
            return Ok(());
        }
        let ts = self.last_ts;
        self.sink.item(TranscriptItem::TurnEnd { ts, reason })
    }

    fn end_step(&mut self, report: &mut ImportReport) -> Result<(), S::Error> {
        let Some(mut step) = self.step.take() else {
            return Ok(());
        };
        if step.blocks.is_empty() {
            return Ok(());
        }
        self.is_answered = true;
        let calls: Vec<(String, String)> = step.blocks.iter().filter_map(call).collect();
        report.messages += 1 + calls.len() as u64;
        let message = answer(
            std::mem::take(&mut step.blocks),
            step.model,
            !calls.is_empty(),
        );
        let ts = step.ts;
        self.sink.item(TranscriptItem::Assistant { ts, message })?;
        for (id, name) in calls {
            let found = step.results.iter().position(|(_, it)| it.tool_use_id == id);
            let (ts, result) = match found {
                Some(index) => step.results.remove(index),
                None => (ts, ToolResultBlock::error(id, NO_RESULT)),
            };
            let message = ToolResultMessage::new(name, result, 0);
            self.sink.item(TranscriptItem::ToolResult { ts, message })?;
        }
        Ok(())
    }
}

fn call(block: &Block) -> Option<(String, String)> {
    match block {
        Block::ToolUse { id, name, .. } => Some((id.clone(), name.clone())),
        _ => None,
    }
}

fn answer(content: Vec<Block>, model: String, has_calls: bool) -> AssistantMessage {
    AssistantMessage {
        content,
        model,
        stop_reason: if has_calls {
            StopReason::ToolUse
        } else {
            StopReason::EndTurn
        },
        usage: None,
        cost: None,
        partial: false,
        meta: Meta::default(),
    }
}
