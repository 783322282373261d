mod foreign;
mod outcome;
mod random;
mod runner;

use super::*;
use crate::{
    AssistantMessage, Attachment, ClientId, CompactBody, CompactionFacts, CompactionId,
    CompactionTrigger, ContextTrimBody, CostTotal, MessageBody, MessageSource, Meta, OutcomeReason,
    PersistentBody, Seq, SessionId, StopReason, ToolResultBlock, TurnError, TurnOutcomeBody, Usage,
    UserMessage,
};

struct Path {
    events: Vec<PersistentEvent>,
    turn: TurnId,
    /// Numbers of the log that the path has not.
    hole: u64,
}

impl Path {
    fn new() -> Self {
        Self {
            events: Vec::new(),
            turn: TurnId::generate(),
            hole: 0,
        }
    }

    fn push(&mut self, body: PersistentBody) -> EventId {
        let id = EventId::generate();
        self.events.push(PersistentEvent {
            id,
            parent_id: self.events.last().map(|event| event.id),
            seq: Seq::new(self.events.len() as u64 + 1 + self.hole).expect("small"),
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

    fn message(&mut self, message: Message) -> EventId {
        self.push(PersistentBody::Message(MessageBody::new(message)))
    }

    fn user(&mut self, text: &str) -> EventId {
        self.message(Message::user(text))
    }

    fn steer(&mut self, text: &str) -> EventId {
        let meta = Meta {
            source: Some(MessageSource::Steer),
            ..Meta::default()
        };
        let content = vec![Block::text(text)];
        self.message(Message::User(UserMessage { content, meta }))
    }

    fn assistant(&mut self, text: &str) -> EventId {
        self.message(Message::Assistant(AssistantMessage {
            content: vec![Block::text(text)],
            model: "m".into(),
            stop_reason: StopReason::EndTurn,
            usage: None,
            cost: None,
            partial: false,
            meta: Meta::default(),
        }))
    }

    fn result(&mut self, text: &str) -> EventId {
        let result = ToolResultBlock {
            tool_use_id: "c".into(),
            content: vec![Block::text(text)],
            is_error: false,
            details: Some(serde_json::json!({"secret": 1})),
        };
        self.message(Message::ToolResult(ToolResultMessage::new("t", result, 1)))
    }

    fn compact(&mut self, through: EventId, keep: Vec<EventId>) -> EventId {
        self.push(PersistentBody::Compact(CompactBody {
            summary: "S".into(),
            compacted_through: through,
            keep,
            tokens_before: 2,
            tokens_after: 1,
            compaction_id: CompactionId::from_bytes([0; 16]),
            trigger: CompactionTrigger::Manual,
            model: "m".to_owned(),
            usage: None,
            cost: None,
            facts: CompactionFacts::default(),
        }))
    }

    /// The context in one line, blocks joined by `+`.
    fn check(&self, expected: &str) {
        let shown: Vec<String> = build_context(&self.events, &[]).iter().map(show).collect();
        assert_eq!(shown.join(" | "), expected);
    }
}

fn show(message: &Message) -> String {
    let (role, content) = match message {
        Message::User(message) => ("u", &message.content),
        Message::Assistant(message) => ("a", &message.content),
        Message::ToolResult(message) => {
            assert_eq!(message.result().details, None, "details reached the model");
            ("t", &message.result().content)
        }
        Message::Internal(message) => ("i", &message.content),
    };
    let text = |block: &Block| match block {
        Block::Text { text, .. } if text.contains("summarised") => "SUMMARY".to_owned(),
        Block::Text { text, .. } => text
            .replace("<system-reminder>\n", "[")
            .replace("\n</system-reminder>", "]"),
        _ => String::new(),
    };
    format!(
        "{role}:{}",
        content.iter().map(text).collect::<Vec<_>>().join("+")
    )
}

#[test]
fn a_conversation_is_included_as_it_is() {
    let mut path = Path::new();
    path.user("q");
    path.assistant("a");
    path.check("u:q | a:a");
}

#[test]
fn steers_merge_into_the_tool_result_before_them() {
    let mut path = Path::new();
    path.user("q");
    path.result("r");
    path.steer("s1");
    path.steer("s2");
    path.check("u:q | t:r+[s1]+[s2]");
}

#[test]
fn the_files_and_images_of_a_steer_stand_beside_it_and_survive_a_trim() {
    let mut path = Path::new();
    path.user("q");
    let result = path.result("0123456789");
    let meta = Meta {
        source: Some(MessageSource::Steer),
        ..Meta::default()
    };
    let image = Block::Image {
        media_type: "image/png".into(),
        blob: "0".repeat(64).parse().expect("a hash"),
    };
    let file = Block::Attachment(Attachment {
        path: "a".into(),
        size: 1,
        encoding: None,
        content: vec![Block::text("x")],
    });
    let content = vec![Block::text("s"), file.clone(), image.clone()];
    path.message(Message::User(UserMessage { content, meta }));
    let mut window = ContextWindow::build(&path.events, &[], None);
    window.include(&trim_of(&mut path, vec![result], 2));
    let (_, message) = window.items().last().expect("a result");
    let Message::ToolResult(message) = message else {
        panic!("{message:?}")
    };
    let content = &message.result().content;
    assert_eq!(content.len(), 4, "{content:?}");
    assert_eq!(content[2..], [file, image]);
}

#[test]
fn a_steer_after_anything_else_is_a_message() {
    let mut path = Path::new();
    path.user("q");
    path.assistant("a");
    path.steer("s");
    path.check("u:q | a:a | u:s");
}

#[test]
fn a_steer_of_another_turn_is_a_message() {
    let mut path = Path::new();
    path.user("q");
    path.result("r");
    path.turn = TurnId::generate();
    path.steer("s");
    path.check("u:q | t:r | u:s");
}

#[test]
fn a_compaction_replaces_what_it_covers_and_keeps_what_it_names() {
    let mut path = Path::new();
    path.user("old");
    let kept = path.user("task");
    let through = path.assistant("a1");
    path.assistant("a2");
    path.compact(through, vec![kept]);
    path.assistant("a3");
    path.check("u:SUMMARY | u:task | a:a2 | a:a3");
}

#[test]
fn a_compaction_whose_last_covered_event_is_lost_covers_what_was_made_before_it() {
    let made_at = |ms: u8| EventId::from_bytes([0, 0, 0, 0, 0, ms, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let before = [10, 20, 30].map(made_at);
    let covered = |through| covered_by(made_at(through), before.iter().copied());
    assert_eq!([covered(10), covered(20), covered(30)], [1, 2, 3]);
    assert_eq!([covered(15), covered(29), covered(99)], [1, 2, 3]);
    assert_eq!(covered(9), 3, "nothing tells where it ends");
}

#[test]
fn only_the_nearest_compaction_counts() {
    let mut path = Path::new();
    let first = path.user("q1");
    path.compact(first, vec![]);
    path.assistant("a1");
    let second = path.user("q2");
    path.compact(second, vec![]);
    path.user("q3");
    path.check("u:SUMMARY | u:q3");
}

#[test]
fn a_longer_path_only_adds_to_the_context() {
    let mut path = Path::new();
    path.user("q");
    path.assistant("a");
    path.result("r");
    let before = build_context(&path.events, &[]);
    path.assistant("b");
    path.steer("s");
    let after = build_context(&path.events, &[]);
    let kept: Context = after.iter().take(before.len()).cloned().collect();
    assert_eq!(kept, before);
}

#[test]
fn a_trim_shortens_results_and_leaves_reminders_and_other_messages() {
    let mut path = Path::new();
    let asked = path.user("a long question");
    let result = path.result("0123456789");
    path.steer("a long reminder");
    let mut window = ContextWindow::build(&path.events, &[], None);
    let sent = window.context().clone();
    let full = window.tokens();
    let trim = trim_of(&mut path, vec![asked, result], 4);
    window.include(&trim);
    let shown: Vec<String> = window.context().iter().map(show).collect();
    let gone = "[6 characters of this result were removed to save room. To read them, ask the tool for \
        that part alone, as with offset and limit]";
    let expected = format!("t:01\n{gone}\n89+[a long reminder]");
    assert_eq!(shown, ["u:a long question".to_owned(), expected]);
    assert_eq!(
        show(&sent[1]),
        "t:0123456789+[a long reminder]",
        "the request that was sent"
    );
    assert_ne!(window.tokens(), full);
    path.steer("one more");
    let after = path.events.last().expect("a steer");
    window.include(after);
    assert_eq!(
        window,
        ContextWindow::build(&path.events, &[trim], None),
        "in any order"
    );
}

#[test]
fn an_answer_measures_its_request_until_that_is_edited() {
    let mut path = Path::new();
    path.user("q");
    let result = path.result("0123456789");
    let usage = Usage {
        input_tokens: 50,
        output_tokens: 5,
        ..Usage::default()
    };
    let answer = path.message(Message::Assistant(AssistantMessage {
        content: vec![Block::text("a")],
        model: "m".to_owned(),
        stop_reason: StopReason::EndTurn,
        usage: Some(usage),
        cost: None,
        partial: false,
        meta: Meta::default(),
    }));
    path.user("next");
    let mut window = ContextWindow::build(&path.events, &[], None);
    let measured = window.measured().expect("it is reported");
    assert_eq!((measured.event_id, measured.usage), (answer, usage));
    let sizes: Vec<TokenEstimate> = window.items().map(|(item, _)| item.tokens).collect();
    assert_eq!(measured.before, sizes[..2].iter().copied().sum());
    assert_eq!(measured.through, sizes[..3].iter().copied().sum());
    window.include(&trim_of(&mut path, vec![result], 4));
    assert_eq!(window.measured(), None);
    let through = path.user("q3");
    path.compact(through, vec![]);
    let window = ContextWindow::build(&path.events, &[], None);
    assert_eq!(window.measured(), None, "of a request before the summary");
}

fn ended(reason: OutcomeReason, message: Option<&str>) -> TurnOutcomeBody {
    let error = message.map(|message| TurnError {
        code: "c".to_owned(),
        message: message.to_owned(),
        retryable: true,
        hint: None,
        resets_at: None,
        sizes: None,
    });
    TurnOutcomeBody {
        reason,
        error,
        usage: Usage::default(),
        cost: CostTotal::default(),
        steps: 0,
        duration_ms: 0,
    }
}

/// The event that trims, which is on no path.
fn trim_of(path: &mut Path, event_ids: Vec<EventId>, keep_chars: u64) -> PersistentEvent {
    path.push(PersistentBody::ContextTrim(ContextTrimBody {
        event_ids,
        keep_chars,
    }));
    path.events.pop().expect("it was pushed")
}
