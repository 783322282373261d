//! Makes a well-formed history of the records that a tool has written.

use std::collections::{HashMap, VecDeque};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use scorel_proto::{
    AssistantMessage, Block, Meta, OutcomeReason, StopReason, ToolResultBlock, ToolResultMessage,
};

use super::item::{ReadTranscript, TranscriptItem, TranscriptSink};
use super::weight::Weight;

/// The result of a call that has none.
const NO_RESULT: &str = "The transcript has no result of this call.";

/// Stands for a message of the user that the transcript does not have.
const GOES_ON: &str = "(The conversation continues here.)";

/// The key that blocks of one answer of the model share.
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
    /// The title and the counts so far.
    pub(super) about: ReadTranscript,
    /// True if a turn is open.
    is_open: bool,
    /// True if the model has answered in it.
    is_answered: bool,
    /// Set once something was taken over.
    has_begun: bool,
    /// Not given to the sink yet: the answer that the next blocks may belong to, at the end, and all that
    /// stands behind a call whose result is still to come.
    waiting: VecDeque<(Weight, Waiting)>,
    /// The weight of all that waits.
    weight: Weight,
    /// The number of those that have waited and were given.
    given: usize,
    /// For each call the answers that have it and no result, the latest last. They are counted from the first
    /// that has waited.
    callers: HashMap<String, Vec<usize>>,
    /// The number of results that are to come for a call.
    to_come: HashMap<String, u64>,
    last_ts: u64,
}

#[derive(Debug)]
enum Waiting {
    Step(Step),
    Item(TranscriptItem),
}

/// An answer with the results of its calls.
#[derive(Debug)]
struct Step {
    ts: u64,
    key: StepKey,
    model: String,
    blocks: Vec<Block>,
    results: HashMap<String, (u64, ToolResultBlock)>,
    /// The calls that may wait for a result.
    open: Vec<String>,
}

impl Step {
    fn takes(&self, key: &StepKey) -> bool {
        match key {
            StepKey::Id(_) => self.key == *key,
            StepKey::Adjacent => self.key == *key && self.results.is_empty(),
        }
    }

    /// True while the result of a call is still to come. Takes no more blocks after it.
    fn waits(&mut self, to_come: &HashMap<String, u64>) -> bool {
        while let Some(id) = self.open.last() {
            let is_awaited = to_come.get(id).is_some_and(|count| *count > 0);
            if is_awaited && !self.results.contains_key(id) {
                return true;
            }
            self.open.pop();
        }
        false
    }
}

impl<'a, S: TranscriptSink> Conversation<'a, S> {
    /// `results` are the calls whose results the transcript has, in any order.
    pub(super) fn new(sink: &'a mut S, results: impl IntoIterator<Item = String>) -> Self {
        let mut to_come = HashMap::new();
        for call in results {
            *to_come.entry(call).or_default() += 1;
        }
        Self {
            sink,
            about: ReadTranscript::default(),
            is_open: false,
            is_answered: false,
            has_begun: false,
            waiting: VecDeque::new(),
            weight: Weight::default(),
            given: 0,
            callers: HashMap::new(),
            to_come,
            last_ts: 0,
        }
    }

    /// A message of the user.
    pub(super) fn user(&mut self, ts: Option<u64>, content: Vec<Block>) -> Result<(), S::Error> {
        let ts = self.at(ts);
        self.end_turn();
        self.about.report.messages += 1;
        self.begin(ts, content);
        self.give()
    }

    /// Blocks of an answer of the model.
    pub(super) fn answer(
        &mut self,
        ts: Option<u64>,
        (key, model): (StepKey, &str),
        blocks: Vec<Block>,
    ) -> Result<(), S::Error> {
        let ts = self.at(ts);
        let weight = Weight::of(&blocks);
        self.is_answered |= !blocks.is_empty();
        let is_part = self.waiting.back().is_some_and(|(held, last)| {
            matches!(last, Waiting::Step(step) if step.takes(&key)) && held.with(weight).fits()
        });
        if !is_part {
            if !self.is_open {
                self.begin(ts, vec![Block::text(GOES_ON)]);
            }
            let step = Step {
                ts,
                key,
                model: model.to_owned(),
                blocks: Vec::new(),
                results: HashMap::new(),
                open: Vec::new(),
            };
            self.hold(Weight::default(), Waiting::Step(step));
        }
        self.extend_last(weight, blocks);
        self.give()
    }

    /// The result of a call. Returns whether an answer that is held has this call.
    pub(super) fn result(
        &mut self,
        ts: Option<u64>,
        result: ToolResultBlock,
    ) -> Result<bool, S::Error> {
        let ts = self.at(ts);
        let id = &result.tool_use_id;
        if let Some(count) = self.to_come.get_mut(id) {
            *count = count.saturating_sub(1);
        }
        // An id that is used again is that of the later call.
        let caller = self.callers.get_mut(id).and_then(Vec::pop);
        let place = caller.and_then(|caller| caller.checked_sub(self.given));
        let step = place.and_then(|place| self.waiting.get_mut(place));
        let is_taken = step.is_some();
        if let Some((held, Waiting::Step(step))) = step {
            let weight = Weight::of(&result.content);
            *held += weight;
            self.weight += weight;
            step.results.insert(id.clone(), (ts, result));
        }
        self.give()?;
        Ok(is_taken)
    }

    /// A summary of everything before it.
    pub(super) fn summary(&mut self, ts: Option<u64>, text: String) -> Result<(), S::Error> {
        let ts = self.at(ts);
        self.end_turn();
        self.about.report.messages += 1;
        if self.has_begun {
            let weight = Weight::of_text(&text);
            self.hold(weight, Waiting::Item(TranscriptItem::Summary { ts, text }));
        } else {
            self.begin(ts, vec![Block::text(text)]);
        }
        self.give()
    }

    /// The user has interrupted the turn.
    pub(super) fn interrupted(&mut self) -> Result<(), S::Error> {
        self.close(OutcomeReason::Cancelled);
        self.give()
    }

    /// The end of the transcript.
    pub(super) fn finish(mut self) -> Result<ReadTranscript, S::Error> {
        self.end_turn();
        self.to_come.clear();
        self.give()?;
        Ok(self.about)
    }

    /// An image in base64, whatever it says that it is. One that no model reads becomes that type as text.
    pub(super) fn image(&mut self, media_type: &str, data: &str) -> Result<Block, S::Error> {
        if let Ok(bytes) = BASE64.decode(data)
            && let Some((media_type, blob)) = self.sink.image(&bytes)?
        {
            self.about.report.images += 1;
            let media_type = media_type.to_owned();
            return Ok(Block::Image { media_type, blob });
        }
        self.about.report.dropped_images += 1;
        Ok(Block::text(format!("[{media_type}]")))
    }

    /// The time of a line; without one, that of the line before.
    fn at(&mut self, ts: Option<u64>) -> u64 {
        self.last_ts = ts.unwrap_or(self.last_ts);
        self.last_ts
    }

    fn hold(&mut self, weight: Weight, waiting: Waiting) {
        self.weight += weight;
        self.waiting.push_back((weight, waiting));
    }

    /// Adds blocks to the answer at the end.
    fn extend_last(&mut self, weight: Weight, blocks: Vec<Block>) {
        let number = (self.given + self.waiting.len()).saturating_sub(1);
        let Some((held, Waiting::Step(step))) = self.waiting.back_mut() else {
            return;
        };
        *held += weight;
        self.weight += weight;
        for (id, _) in blocks.iter().filter_map(call) {
            let callers = self.callers.entry(id.clone()).or_default();
            if callers.last() != Some(&number) && !step.results.contains_key(&id) {
                callers.push(number);
                step.open.push(id);
            }
        }
        step.blocks.extend(blocks);
    }

    fn begin(&mut self, ts: u64, content: Vec<Block>) {
        self.is_open = true;
        self.is_answered = false;
        self.has_begun = true;
        let weight = Weight::of(&content);
        self.hold(weight, Waiting::Item(TranscriptItem::User { ts, content }));
    }

    fn end_turn(&mut self) {
        self.close(if self.is_answered {
            OutcomeReason::Completed
        } else {
            OutcomeReason::Interrupted
        });
    }

    fn close(&mut self, reason: OutcomeReason) {
        if std::mem::take(&mut self.is_open) {
            let ts = self.last_ts;
            let end = Waiting::Item(TranscriptItem::TurnEnd { ts, reason });
            self.hold(Weight::of_text(""), end);
        }
    }

    /// Gives the sink everything that does not wait for a result or for more blocks, and what there is no
    /// room for.
    fn give(&mut self) -> Result<(), S::Error> {
        while let Some((weight, mut first)) = self.waiting.pop_front() {
            if let Waiting::Step(step) = &mut first
                && self.weight.fits()
                && (self.waiting.is_empty() || step.waits(&self.to_come))
            {
                self.waiting.push_front((weight, first));
                break;
            }
            self.weight -= weight;
            self.given += 1;
            self.give_one(first)?;
        }
        Ok(())
    }

    fn give_one(&mut self, waiting: Waiting) -> Result<(), S::Error> {
        let mut step = match waiting {
            Waiting::Item(item) => return self.sink.item(item),
            Waiting::Step(step) => step,
        };
        if step.blocks.is_empty() {
            return Ok(());
        }
        let calls: Vec<(String, String)> = step.blocks.iter().filter_map(call).collect();
        self.about.report.messages += 1 + calls.len() as u64;
        let message = answer(
            std::mem::take(&mut step.blocks),
            step.model,
            !calls.is_empty(),
        );
        let ts = step.ts;
        self.sink.item(TranscriptItem::Assistant { ts, message })?;
        for (id, name) in calls {
            if let Some(callers) = self.callers.get(&id)
                && callers.last() < Some(&self.given)
            {
                self.callers.remove(&id);
            }
            let found = step.results.remove(&id);
            let (ts, result) = found.unwrap_or_else(|| (ts, ToolResultBlock::error(id, NO_RESULT)));
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

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use scorel_proto::BlobHash;
    use serde_json::json;

    use super::super::content;
    use super::*;

    #[derive(Debug, Default)]
    struct Given(Vec<TranscriptItem>);

    impl TranscriptSink for Given {
        type Error = Infallible;

        fn item(&mut self, item: TranscriptItem) -> Result<(), Self::Error> {
            self.0.push(item);
            Ok(())
        }

        fn image(&mut self, _: &[u8]) -> Result<Option<(&'static str, BlobHash)>, Self::Error> {
            unreachable!("there is none")
        }
    }

    fn asks(conversation: &mut Conversation<'_, Given>, id: &str) {
        let number = conversation.given + conversation.waiting.len();
        let key = (StepKey::Id(number.to_string()), "model");
        let blocks = vec![content::call(id, "f", json!({}))];
        conversation.answer(None, key, blocks).unwrap();
    }

    #[test]
    fn what_waits_behind_a_call_is_bounded() {
        for (count, bytes) in [(70, 1 << 20), (40_000, 1)] {
            for is_summary in [false, true] {
                let mut given = Given::default();
                let mut conversation = Conversation::new(&mut given, ["c".to_owned()]);
                asks(&mut conversation, "c");
                let begun = conversation.sink.0.len();
                for _ in 0..count {
                    let text = "a".repeat(bytes);
                    if is_summary {
                        conversation.summary(None, text).unwrap();
                        let block = vec![Block::text("b")];
                        conversation.user(None, block).unwrap();
                    } else {
                        let block = vec![Block::text(text)];
                        conversation.user(None, block).unwrap();
                    }
                }
                assert!(
                    conversation.sink.0.len() > begun,
                    "{count} of {bytes} bytes"
                );
                let late = ToolResultBlock::error("c".to_owned(), "late");
                assert!(!conversation.result(None, late).unwrap());
            }
        }
    }

    #[test]
    fn each_of_many_results_in_any_order_finds_its_call() {
        let ids: Vec<String> = (0..10_000).map(|number| number.to_string()).collect();
        let mut given = Given::default();
        // The last id is called twice.
        let last = ids.last().cloned();
        let results = ids.iter().cloned().chain(last.clone());
        let mut conversation = Conversation::new(&mut given, results);
        for id in ids.iter().chain(&last) {
            asks(&mut conversation, id);
        }
        for id in ids.iter().chain(&last).rev() {
            let result = ToolResultBlock::error(id.clone(), id);
            assert!(conversation.result(None, result).unwrap(), "{id}");
        }
        conversation.finish().unwrap();
        let results = given.0.iter().filter_map(|item| match item {
            TranscriptItem::ToolResult { message, .. } => Some(message.result()),
            _ => None,
        });
        let results: Vec<_> = results.collect();
        assert_eq!(results.len(), ids.len() + 1);
        for result in results {
            let own = ToolResultBlock::error(result.tool_use_id.clone(), &result.tool_use_id);
            assert_eq!(*result, own);
        }
    }
}
