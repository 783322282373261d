use scorel_proto::{PermissionRequestBody, ProjectId, SessionId};
use serde_json::{Value, json};

use super::text::CardPlace;
use super::*;

fn question(input: Value) -> OpenQuestion {
    OpenQuestion {
        session_id: SessionId::generate(),
        project_id: ProjectId::generate(),
        title: None,
        agent_type: None,
        parent_session_id: None,
        asked_at: 1,
        request: PermissionRequestBody {
            request_id: PermissionRequestId::generate(),
            tool_call_id: "c".to_owned(),
            tool_name: "Bash".to_owned(),
            input,
            changed_by: Vec::new(),
            reason: "mode ask, no rule".to_owned(),
            hook_reason: None,
            rules: vec!["Bash(make test)".to_owned()],
            session_only: false,
            deadline: None,
            at_deadline: None,
        },
    }
}

fn drawn(question: &OpenQuestion, is_whole: bool) -> Option<DrawnCard> {
    let id = question.request.request_id;
    Some(DrawnCard { id, is_whole })
}

/// A card with the focus, on the screen since `now`.
fn ready(question: &OpenQuestion, now: Instant) -> Card {
    let mut card = Card::new();
    card.was_drawn(drawn(question, true), now);
    card.enter(now);
    card
}

fn press(card: &mut Card, key: char, question: &OpenQuestion, at: Instant) -> CardStep {
    card.key(CardKey::Char(key), Some(question), at)
}

#[test]
fn an_answer_counts_half_a_second_after_the_last_change() {
    let question = question(json!({"command": "make"}));
    let now = Instant::now();
    let (early, late) = (now + UNREAD / 2, now + UNREAD);
    let mut card = ready(&question, now);
    assert!(matches!(
        press(&mut card, 'y', &question, early),
        CardStep::Refused(_)
    ));
    assert_eq!(
        press(&mut card, 'y', &question, late),
        CardStep::Answers(PermissionDecision::Once, None)
    );

    let mut card = ready(&question, now);
    card.enter(early);
    assert!(
        matches!(press(&mut card, 'y', &question, late), CardStep::Refused(_)),
        "the focus is new"
    );

    let mut card = ready(&question, now);
    card.must_be_drawn();
    assert!(
        matches!(press(&mut card, 'y', &question, late), CardStep::Refused(_)),
        "it is not on the screen"
    );
    card.was_drawn(drawn(&question, true), late);
    assert!(
        matches!(press(&mut card, 'y', &question, late), CardStep::Refused(_)),
        "it was just drawn"
    );
}

#[test]
fn without_the_focus_no_key_answers() {
    let question = question(json!({"command": "make"}));
    let now = Instant::now();
    let mut card = Card::new();
    card.was_drawn(drawn(&question, true), now);
    assert!(!card.has_focus());
    assert_eq!(
        press(&mut card, 'y', &question, now + UNREAD),
        CardStep::Stays
    );
}

#[test]
fn a_long_input_is_read_in_the_pager_first() {
    let question = question(json!({"command": "x".repeat(1 << 20)}));
    let now = Instant::now();
    let late = now + UNREAD;
    let mut card = ready(&question, now);
    card.was_drawn(drawn(&question, false), now);
    assert!(matches!(
        press(&mut card, 'y', &question, late),
        CardStep::Refused(_)
    ));
    assert_eq!(
        card.key(CardKey::Enter, Some(&question), late),
        CardStep::Reads
    );
    card.was_read(question.request.request_id, late);
    assert!(
        matches!(press(&mut card, 'y', &question, late), CardStep::Refused(_)),
        "q of the pager is no y"
    );
    assert!(matches!(
        press(&mut card, 'y', &question, late + UNREAD),
        CardStep::Answers(..)
    ));
}

#[test]
fn what_is_typed_after_the_question_is_gone_goes_nowhere() {
    let (first, second) = (
        question(json!({"command": "a"})),
        question(json!({"command": "b"})),
    );
    let now = Instant::now();
    let late = now + UNREAD;
    let mut card = ready(&first, now);
    card.closed(first.request.request_id, true, late);
    card.was_drawn(drawn(&second, true), late);
    assert!(card.has_focus());
    assert_eq!(press(&mut card, 'y', &second, late), CardStep::Stays);
    card.tick(Some(second.request.request_id), late + UNREAD);
    assert!(matches!(
        press(&mut card, 'y', &second, late + UNREAD),
        CardStep::Refused(_)
    ));
    card.tick(None, late + UNREAD);
    card.tick(None, late + UNREAD * 2);
    assert!(!card.has_focus(), "the composer has the keys again");
}

#[test]
fn a_refusal_takes_a_reason() {
    let question = question(json!({"command": "make"}));
    let now = Instant::now();
    let late = now + UNREAD;
    let mut card = ready(&question, now);
    assert_eq!(press(&mut card, 'n', &question, late), CardStep::Stays);
    for key in "y no".chars() {
        assert_eq!(press(&mut card, key, &question, late), CardStep::Stays);
    }
    let step = card.key(CardKey::Enter, Some(&question), late);
    assert_eq!(
        step,
        CardStep::Answers(PermissionDecision::Deny, Some("y no".to_owned()))
    );
}

#[test]
fn a_reason_for_one_question_does_not_refuse_another() {
    let (first, second) = (
        question(json!({"command": "a"})),
        question(json!({"command": "b"})),
    );
    let now = Instant::now();
    let late = now + UNREAD;
    let mut card = ready(&first, now);
    assert_eq!(press(&mut card, 'n', &first, late), CardStep::Stays);
    card.tick(Some(first.request.request_id), late);
    assert_eq!(card.why(), Some(""));
    // Its session was deleted, and the next one has its place.
    card.tick(Some(second.request.request_id), late);
    assert_eq!(card.why(), None);
    let step = card.key(CardKey::Enter, Some(&second), late);
    assert_eq!(step, CardStep::Stays);
}

#[test]
fn an_answer_that_the_question_does_not_allow_is_refused() {
    let mut question = question(json!({"command": "make"}));
    let now = Instant::now();
    let late = now + UNREAD;
    question.request.session_only = true;
    assert!(matches!(
        press(&mut ready(&question, now), 'a', &question, late),
        CardStep::Refused(_)
    ));
    question.request.rules.clear();
    assert!(matches!(
        press(&mut ready(&question, now), 's', &question, late),
        CardStep::Refused(_)
    ));
    assert!(matches!(
        press(&mut ready(&question, now), 'y', &question, late),
        CardStep::Answers(..)
    ));
}

const PLACE: CardPlace<'_> = CardPlace {
    at: 0,
    of: 2,
    work_dir: "/p",
    has_focus: false,
    why: None,
    hint: None,
    is_read: false,
};

#[test]
fn a_card_shows_its_input_exactly_or_says_that_it_is_longer() {
    let hostile = question(json!({"command": "make test 2>&1 | tee \u{202e}out.log\x1b[2J"}));
    let (lines, is_whole) = card_lines(&hostile, PLACE, 80, 8);
    let texts: Vec<String> = lines.iter().map(Line::text).collect();
    assert!(is_whole);
    assert!(
        texts[0].starts_with("─ Bash asks (1 of 2): mode ask, no rule ─"),
        "{texts:?}"
    );
    assert_eq!(texts[1], "make test 2>&1 | tee ⟨202e⟩out.log⟨1b⟩[2J");
    assert!(
        texts.last().unwrap().starts_with("Ctrl+Y, then  y once"),
        "{texts:?}"
    );

    let long = question(json!({"command": "line\n".repeat(100)}));
    let (lines, is_whole) = card_lines(&long, PLACE, 60, 8);
    assert!(!is_whole);
    assert_eq!(lines.len(), 8);
    assert!(
        lines
            .iter()
            .any(|line| line.text().contains("more rows: Enter here"))
    );
    assert!(input_text(&long).matches("line").count() == 100);
}

use scorel_screen::Line;
