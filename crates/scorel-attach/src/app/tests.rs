mod cards;
mod files;
mod screens;

use std::time::Instant;

use scorel_client::ClientError;
use scorel_proto::{
    ErrorCode, Event, EventId, Phase, Project, ProjectId, RpcError, RunCommandResult,
    SendMessageResult, Seq, Session, SessionId, SessionView, TurnId, WhileRunning,
};
use scorel_screen::{Line, Theme};
use serde_json::json;

use super::state::{App, Done, Input, LinkState, Setup};
use crate::composer::StateDir;
use crate::effect::Effect;
use crate::jobs::{HistoryWindow, SendError, SentMessage, SessionFacts};
use crate::size::Size;
use crate::terminal::{Input as Typed, Key};

const SIZE: Size = Size {
    columns: 80,
    rows: 24,
};

/// An app with an empty session, whose files are in a directory of its own.
fn app(is_plain: bool) -> (App, tempfile::TempDir) {
    let dir = tempfile::tempdir().expect("a directory");
    let home = dir.path().as_os_str().to_owned();
    let setup = Setup {
        while_running: WhileRunning::FollowUp,
        is_plain,
        is_local: true,
        client_id: None,
        program: vec!["scorelctl".into()],
        state_dir: StateDir::of(None, Some(home)).expect("a home"),
        theme: Theme::PLAIN,
    };
    let mut app = App::new(setup, 80);
    let facts = SessionFacts {
        session: session(),
        work_dir: dir.path().to_owned(),
        skills: Vec::new(),
        commands: Vec::new(),
        window: HistoryWindow {
            events: Vec::new(),
            has_more: false,
            last: None,
            view: SessionView::default(),
        },
    };
    app.update(
        Input::Done(Box::new(Done::Opened(Box::new(facts)))),
        &SessionView::default(),
    );
    app.effects.clear();
    app.finished.clear();
    (app, dir)
}

fn session() -> Session {
    let session = json!({
        "sessionId": SessionId::generate(), "projectId": ProjectId::generate(), "kind": "user",
        "title": null, "model": null, "thinkingLevel": "default", "phase": Phase::Idle,
        "activeLeafId": null, "currentSeq": 0, "lastPersistentSeq": 0, "queue": [], "queueVersion": 0,
        "queuePaused": false, "usage": {"inputTokens": 0, "outputTokens": 0}, "createdAt": 1, "updatedAt": 1,
        "archived": false,
    });
    serde_json::from_value(session).expect("a session")
}

fn types(app: &mut App, text: &str) {
    for char in text.chars() {
        press(app, Key::Char(char));
    }
}

fn press(app: &mut App, key: Key) {
    app.update(Input::Typed(Typed::Key(key)), &SessionView::default());
}

fn shown(app: &mut App) -> String {
    let (live, _) = app.live(SIZE, &SessionView::default());
    let lines: Vec<String> = live.lines.iter().map(Line::text).collect();
    lines.join("\n")
}

#[test]
fn enter_sends_once_and_a_failed_send_puts_the_text_back_before_what_was_typed_since() {
    let (mut app, _dir) = app(false);
    types(&mut app, "hello");
    press(&mut app, Key::Enter);
    let Some(Effect::Send(message)) = app.effects.pop_front() else {
        panic!("nothing is sent");
    };
    assert_eq!((message.text.as_str(), app.effects.len()), ("hello", 0));
    assert!(shown(&mut app).contains("sending: hello"));
    types(&mut app, "more");
    let error = RpcError::new(ErrorCode::StorageStalled, "the disk is full");
    let sent = SentMessage {
        command_id: message.command_id,
        attached: Vec::new(),
        result: Err(SendError::Client(ClientError::Rpc(error))),
    };
    app.update(
        Input::Done(Box::new(Done::Sent(sent))),
        &SessionView::default(),
    );
    assert_eq!(app.composer.text(), "hello\n\nmore");
    let said: Vec<String> = app.finished.iter().map(Line::text).collect();
    assert!(
        said.join("\n").contains("not sent: the disk is full"),
        "{said:?}"
    );
}

/// Sends a message, which the daemon answers so.
fn is_answered(app: &mut App, answer: RunCommandResult) {
    types(app, "hello");
    press(app, Key::Enter);
    let Some(Effect::Send(message)) = app.effects.pop_front() else {
        panic!("nothing is sent");
    };
    let sent = SentMessage {
        command_id: message.command_id,
        attached: Vec::new(),
        result: Ok(answer),
    };
    app.update(
        Input::Done(Box::new(Done::Sent(sent))),
        &SessionView::default(),
    );
}

#[test]
fn the_reply_of_an_extension_is_shown() {
    let (mut app, _dir) = app(false);
    let answer = RunCommandResult {
        message: None,
        reply: Some("3 files".to_owned()),
    };
    is_answered(&mut app, answer);
    let said: Vec<String> = app.finished.iter().map(Line::text).collect();
    assert!(said.join("\n").contains("3 files"), "{said:?}");
    assert_eq!(app.composer.text(), "");
}

#[test]
fn a_message_is_waited_for_until_the_stream_has_shown_it() {
    let (mut app, _dir) = app(false);
    let accepted = SendMessageResult::Accepted {
        user_event_id: EventId::generate(),
        turn_id: TurnId::generate(),
        seq: Seq::ZERO.next(),
    };
    let answer = RunCommandResult {
        message: Some(accepted),
        reply: None,
    };
    is_answered(&mut app, answer);
    let mut view = SessionView::default();
    assert!(app.is_at_rest());
    assert!(!app.has_seen_its_message(&view), "the stream may be behind");
    view.state.last_persistent_seq = Seq::ZERO.next();
    assert!(app.has_seen_its_message(&view));
}

#[test]
fn a_message_without_an_answer_is_in_the_draft_when_its_user_goes() {
    let (mut app, _dir) = app(false);
    types(&mut app, "hello");
    press(&mut app, Key::Enter);
    press(&mut app, Key::Ctrl('d'));
    assert!(
        app.effects
            .iter()
            .any(|effect| matches!(effect, Effect::Detach))
    );
    let id = app.session_id().expect("a session").to_string();
    let draft = app.drafts.load(&id).expect("a draft");
    app.composer.restore(draft);
    assert_eq!(app.composer.text(), "hello");
    assert!(
        app.exit_note
            .as_ref()
            .is_some_and(|note| note.contains("draft"))
    );
}

#[test]
fn a_text_that_no_daemon_reads_is_not_given_to_one() {
    let (mut app, _dir) = app(false);
    let text = "x".repeat(8 * 1024 * 1024 - 1024);
    app.update(
        Input::Typed(Typed::Paste(text.clone())),
        &SessionView::default(),
    );
    press(&mut app, Key::Enter);
    assert!(app.effects.is_empty());
    assert_eq!(app.composer.text().len(), text.len());
    assert!(shown(&mut app).contains("at most 8 MiB"));
}

#[test]
fn an_archived_session_and_one_that_is_gone_take_nothing() {
    let (mut app, _dir) = app(false);
    types(&mut app, "hello");
    app.session
        .as_mut()
        .expect("a session")
        .facts
        .session
        .archived = true;
    press(&mut app, Key::Enter);
    assert!(shown(&mut app).contains("/archive takes it out"));
    app.session
        .as_mut()
        .expect("a session")
        .facts
        .session
        .archived = false;
    app.link = LinkState::Over("it was deleted".to_owned());
    press(&mut app, Key::Enter);
    assert!(shown(&mut app).contains("not sent: it was deleted"));
    assert!(app.effects.is_empty() && app.composer.text() == "hello");
}

#[test]
fn tab_sends_the_other_way() {
    let (mut app, _dir) = app(false);
    for (key, kind) in [
        (Key::Enter, WhileRunning::FollowUp),
        (Key::Tab, WhileRunning::Steer),
    ] {
        types(&mut app, "hello");
        press(&mut app, key);
        let Some(Effect::Send(message)) = app.effects.pop_front() else {
            panic!("nothing is sent");
        };
        assert_eq!(message.while_running, kind);
    }
}

#[test]
fn a_small_terminal_has_the_composer_and_the_status_line() {
    let (mut app, _dir) = app(false);
    types(&mut app, "hello");
    let size = Size {
        columns: 39,
        rows: 7,
    };
    let (live, card) = app.live(size, &SessionView::default());
    let lines: Vec<String> = live.lines.iter().map(Line::text).collect();
    assert_eq!(lines, ["❯ hello", "idle · live"]);
    assert_eq!(card, None);
    for (columns, rows) in [(1, 1), (2, 2), (20, 3), (300, 100)] {
        let (live, _) = app.live(Size { columns, rows }, &SessionView::default());
        assert!(
            live.lines.len() <= usize::from(rows / 2).max(2),
            "{columns}x{rows}"
        );
    }
}

#[test]
fn a_lost_connection_is_counted_in_seconds_with_advice() {
    let (mut app, _dir) = app(false);
    let since = Instant::now()
        .checked_sub(std::time::Duration::from_secs(12))
        .expect("a moment");
    app.link = LinkState::Reconnecting {
        since,
        error: "no daemon listens".to_owned(),
    };
    let shown = shown(&mut app);
    assert!(
        shown.contains("reconnecting 12 s: no daemon listens"),
        "{shown}"
    );
}

#[test]
fn the_speaker_is_said_in_words_where_signs_are_not_read() {
    let (mut app, _dir) = app(true);
    let message = |role: &str, more: serde_json::Value| {
        let mut message = json!({"role": role, "content": [{"type": "text", "text": "hi"}]});
        message
            .as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        let event = json!({
            "type": "message", "id": scorel_proto::EventId::generate(), "parentId": null, "seq": 1, "prev": 0,
            "sessionId": SessionId::generate(), "clientId": "daemon", "ts": 1, "message": message,
        });
        Event::decode(&event.to_string()).expect("an event")
    };
    app.show_event(&message("user", json!({})));
    app.show_event(&message(
        "assistant",
        json!({"model": "m", "stopReason": "end_turn"}),
    ));
    let lines: Vec<String> = app.finished.iter().map(Line::text).collect();
    let place = |text: &str| lines.iter().position(|line| line == text);
    assert!(
        place("You:") < place("Agent:") && place("You:").is_some(),
        "{lines:?}"
    );
}

#[test]
fn projects_of_the_feed_name_the_directory_of_a_question() {
    let (mut app, _dir) = app(false);
    let project = app
        .session
        .as_ref()
        .expect("a session")
        .facts
        .session
        .project_id;
    app.host.projects.push(Project {
        project_id: project,
        display_name: "p".to_owned(),
        work_dir: "/home/ada/p".to_owned(),
        created_at: 1,
        updated_at: 1,
        orchestrator_session_id: None,
    });
    app.host.is_live = true;
    let question = json!({
        "sessionId": app.session_id(), "projectId": project, "askedAt": 1,
        "requestId": scorel_proto::PermissionRequestId::generate(), "toolCallId": "c", "toolName": "Bash",
        "input": {"command": "make"}, "reason": "mode ask, no rule",
    });
    app.host
        .opened([serde_json::from_value(question).expect("a question")]);
    let shown = shown(&mut app);
    assert!(
        shown.contains("Bash asks: mode ask, no rule") && shown.contains("in /home/ada/p"),
        "{shown}"
    );
    types(&mut app, "y");
    assert!(app.effects.is_empty());
    assert_eq!(app.composer.text(), "y");
}

#[test]
fn an_export_goes_to_the_file_that_is_named() {
    let (mut app, _dir) = app(false);
    let id = app.session_id().expect("a session");
    for (typed, more) in [
        ("/export", &[][..]),
        ("/export html", &["--format=html"]),
        (
            "/export md  -my notes.md",
            &["--format=md", "--output=-my notes.md"],
        ),
    ] {
        types(&mut app, typed);
        press(&mut app, Key::Esc);
        press(&mut app, Key::Enter);
        let run = app.effects.iter().find_map(|effect| match effect {
            Effect::Run { words, .. } => Some(words.clone()),
            _ => None,
        });
        let session = format!("--session={id}");
        let expected: Vec<std::ffi::OsString> = ["scorelctl", "export", &session]
            .iter()
            .chain(more)
            .map(std::ffi::OsString::from)
            .collect();
        assert_eq!(run, Some(expected), "{typed}");
        app.effects.clear();
    }
}
