use scorel_engine::ModelInfo;
use scorel_proto::{
    AssistantMessage, Block, ClientId, CompactBody, CompactionFacts, CompactionId,
    CompactionTrigger, CostTotal, MessageBody, Meta, OutcomeReason, PersistentBody,
    PersistentEvent, Seq, SessionId, StopReason, ToolResultBlock, ToolResultMessage,
    TurnOutcomeBody, Usage,
};

use super::*;

/// A conversation of messages with 99 tokens each.
struct Conversation {
    events: Vec<PersistentEvent>,
    turn: TurnId,
}

impl Conversation {
    fn new() -> Self {
        Self {
            events: Vec::new(),
            turn: TurnId::generate(),
        }
    }

    fn push(&mut self, body: PersistentBody) -> EventId {
        let id = EventId::generate();
        self.events.push(PersistentEvent {
            id,
            parent_id: self.events.last().map(|event| event.id),
            seq: Seq::new(self.events.len() as u64 + 1).expect("small"),
            session_id: SessionId::from_bytes([0; 16]),
            client_id: ClientId::Daemon,
            ts: 0,
            turn_id: Some(self.turn),
            command_id: None,
            digest: None,
            origin: None,
            body,
            prev: None,
        });
        id
    }

    fn say(&mut self, message: Message) -> EventId {
        self.push(PersistentBody::Message(MessageBody::new(message)))
    }

    fn user(&mut self) -> EventId {
        self.turn = TurnId::generate();
        self.say(Message::user(words()))
    }

    /// An answer with a call, and the call's result.
    fn step(&mut self) -> [EventId; 2] {
        let answer = self.say(Message::Assistant(AssistantMessage {
            content: vec![Block::text(words())],
            model: "m".to_owned(),
            stop_reason: StopReason::ToolUse,
            usage: None,
            cost: None,
            partial: false,
            meta: Meta::default(),
        }));
        let mut result = ToolResultBlock::error("c", words());
        result.is_error = false;
        let result = Message::ToolResult(ToolResultMessage::new("look", result, 1));
        [answer, self.say(result)]
    }

    fn compact(&mut self, through: EventId, keep: Vec<EventId>) {
        self.push(PersistentBody::Compact(CompactBody {
            summary: "S".to_owned(),
            compacted_through: through,
            keep,
            tokens_before: 2,
            tokens_after: 1,
            compaction_id: CompactionId::generate(),
            trigger: CompactionTrigger::Threshold,
            model: "m".to_owned(),
            usage: None,
            cost: None,
            facts: CompactionFacts::default(),
        }));
    }

    fn cut(&self, in_turn: bool, keep_tokens: u64) -> Option<Cut> {
        self.cut_after(&[], in_turn, keep_tokens)
    }

    fn cut_after(&self, edits: &[PersistentEvent], in_turn: bool, keep_tokens: u64) -> Option<Cut> {
        let window = ContextWindow::build(&self.events, edits, None);
        let turn_id = in_turn.then_some(self.turn);
        let model = ModelInfo {
            provider: "p".to_owned(),
            id: "m".to_owned(),
            context_window: 1000,
            max_output_tokens: 100,
            price: None,
        };
        Cut::choose(&window, turn_id, keep_tokens, &Calibration::new(&model))
    }
}

/// 91 tokens, and 8 for the block.
fn words() -> String {
    "x".repeat(325)
}

#[test]
fn the_longest_tail_that_fits_stays_and_begins_at_no_result() {
    let mut conversation = Conversation::new();
    conversation.user();
    let [_, first] = conversation.step();
    let [_, second] = conversation.step();
    let cut = |keep| conversation.cut(false, keep).expect("there is something");
    // A result alone would fit as well, but it belongs to its call.
    for (keep, end, through) in [
        (0, 5, second),
        (150, 5, second),
        (200, 3, first),
        (395, 3, first),
    ] {
        let cut = cut(keep);
        assert_eq!(
            (cut.end, cut.through, cut.keep),
            (end, through, None),
            "{keep}"
        );
        assert_eq!(cut.gone.tokens(), 99 * end as u64);
    }
    assert_eq!(conversation.cut(false, 500), None, "all of it fits");
}

#[test]
fn of_the_running_turn_its_question_and_its_last_step_stay() {
    let mut conversation = Conversation::new();
    conversation.user();
    let [_, before] = conversation.step();
    let question = conversation.user();
    let cut = conversation.cut(true, 0).expect("the turn before");
    assert_eq!(
        (cut.through, cut.keep),
        (before, None),
        "the question is not answered yet"
    );
    conversation.step();
    let [_, last_but_one] = conversation.step();
    conversation.step();
    let cut = conversation.cut(true, 0).expect("two steps");
    assert_eq!((cut.through, cut.keep), (last_but_one, Some(question)));
    assert_eq!(cut.gone.tokens(), 99 * 7, "the question is not gone");
}

#[test]
fn a_turn_of_one_step_has_nothing_to_replace() {
    let mut conversation = Conversation::new();
    conversation.user();
    assert_eq!(conversation.cut(true, 0), None);
    conversation.step();
    assert_eq!(conversation.cut(true, 0), None);
}

#[test]
fn the_end_of_a_turn_goes_with_the_turn() {
    let mut conversation = Conversation::new();
    conversation.user();
    let [_, last] = conversation.step();
    conversation.push(PersistentBody::TurnOutcome(TurnOutcomeBody {
        reason: OutcomeReason::Cancelled,
        error: None,
        usage: Usage::default(),
        cost: CostTotal::default(),
        steps: 1,
        duration_ms: 0,
    }));
    let outcome = conversation.events.pop().expect("it was pushed");
    // Room for the last message alone.
    let cut = conversation
        .cut_after(&[outcome], false, 98)
        .expect("a turn");
    assert_eq!((cut.end, cut.through), (4, last));
}

#[test]
fn what_a_summary_covers_is_not_covered_again_alone() {
    let mut conversation = Conversation::new();
    let question = conversation.user();
    let [_, through] = conversation.step();
    conversation.step();
    conversation.compact(through, vec![question]);
    assert_eq!(
        conversation.cut(true, 0),
        None,
        "a summary, the question, the last step"
    );
    conversation.step();
    let cut = conversation.cut(true, 0).expect("one more step");
    assert_eq!((cut.end, cut.keep), (4, Some(question)));
    let window = ContextWindow::build(&conversation.events, &[], None);
    assert_eq!(window.covered(), 2);
}
