use scorel_client::ClientError;
use scorel_proto::{ErrorCode, FindFilesParams, FindFilesResult, RpcError, SessionView};

use super::{App, Done, Effect, Input, Key, app, press, shown, types};
use crate::call::{Answer, Call};

/// The call for files that is made next.
fn asked(app: &mut App) -> Option<Box<FindFilesParams>> {
    match app.effects.pop_front()? {
        Effect::Call(Call::FindFiles(params)) => Some(params),
        other => panic!("{other:?}"),
    }
}

fn answer(app: &mut App, params: Box<FindFilesParams>, found: Result<&[&str], ClientError>) {
    let found = found.map(|files| {
        let files = files.iter().map(|file| (*file).to_owned()).collect();
        let complete = true;
        Box::new(FindFilesResult { files, complete })
    });
    let done = Done::Answer(Answer::FindFiles(params, found));
    app.update(Input::Done(Box::new(done)), &SessionView::default());
}

/// Types a word, and answers for it.
fn finds(app: &mut App, word: &str, files: &[&str]) {
    types(app, word);
    while let Some(params) = asked(app) {
        answer(app, params, Ok(files));
    }
}

#[test]
fn a_file_is_chosen_from_the_list_and_sent_with_the_next_enter() {
    let (mut app, _dir) = app(false);
    finds(&mut app, "see @ma", &["src/main.rs", "docs/map.md"]);
    let list = shown(&mut app);
    assert!(list.contains("▸ @src/main.rs") && list.contains("  @docs/map.md"));
    press(&mut app, Key::Down);
    press(&mut app, Key::Enter);
    assert_eq!(app.composer.text(), "see @docs/map.md ");
    assert!(app.effects.is_empty());
    assert!(!shown(&mut app).contains('▸'));
    press(&mut app, Key::Enter);
    assert!(matches!(app.effects.pop_front(), Some(Effect::Send(_))));
}

#[test]
fn one_call_is_under_way_and_the_last_word_wins() {
    let (mut app, _dir) = app(false);
    types(&mut app, "@p");
    let first = asked(&mut app).expect("a call");
    assert_eq!((first.query.as_str(), app.effects.len()), ("", 0));
    types(&mut app, "ars");
    assert!(app.effects.is_empty(), "the first is not answered");
    answer(&mut app, first, Ok(&["wrong"]));
    assert!(!shown(&mut app).contains("wrong"));
    let last = asked(&mut app).expect("a call");
    assert_eq!(last.query, "pars");
    answer(&mut app, last, Ok(&["src/parse.rs", "p/a/r/s"]));
    // Rows that do not fit any more go before the next answer.
    types(&mut app, "e");
    let list = shown(&mut app);
    assert!(list.contains("▸ @src/parse.rs") && !list.contains("p/a/r/s"));
    press(&mut app, Key::Tab);
    assert_eq!(app.composer.text(), "@src/parse.rs ");
}

#[test]
fn a_tab_before_the_answer_sends_nothing_and_an_enter_does() {
    let (mut app, _dir) = app(false);
    types(&mut app, "@nobody");
    let first = asked(&mut app).expect("a call");
    press(&mut app, Key::Tab);
    assert!(app.effects.is_empty() && app.composer.text() == "@nobody");
    press(&mut app, Key::Enter);
    assert!(matches!(app.effects.pop_front(), Some(Effect::Send(_))));
    // The answer is for a word that is gone.
    answer(&mut app, first, Ok(&["nobody.rs"]));
    assert!(app.effects.is_empty() && !shown(&mut app).contains("nobody.rs"));
}

#[test]
fn esc_closes_the_list_until_the_word_changes() {
    let (mut app, _dir) = app(false);
    finds(&mut app, "@a", &["a.rs"]);
    press(&mut app, Key::Esc);
    assert!(!shown(&mut app).contains('▸'));
    finds(&mut app, ".", &["a.rs"]);
    assert!(shown(&mut app).contains("▸ @a.rs"));
    press(&mut app, Key::Esc);
    press(&mut app, Key::Enter);
    assert!(matches!(app.effects.pop_front(), Some(Effect::Send(_))));
}

#[test]
fn a_word_that_is_a_file_is_sent_by_enter() {
    let (mut app, _dir) = app(false);
    finds(&mut app, "@a.rs", &["x/a.rs", "a.rs"]);
    press(&mut app, Key::Enter);
    assert!(matches!(app.effects.pop_front(), Some(Effect::Send(_))));
}

#[test]
fn an_error_and_names_that_no_message_can_mention_leave_no_list() {
    let (mut app, _dir) = app(false);
    finds(&mut app, "@x", &["x y", "x\n", "x\u{1b}[2J", "x\u{a0}"]);
    assert!(!shown(&mut app).contains('▸'));
    types(&mut app, "y");
    let params = asked(&mut app).expect("a call");
    let error = RpcError::new(ErrorCode::MethodNotFound, "an older daemon");
    answer(&mut app, params, Err(ClientError::Rpc(error)));
    assert!(app.effects.is_empty() && !shown(&mut app).contains('▸'));
    types(&mut app, &"z".repeat(300));
    while let Some(params) = asked(&mut app) {
        assert!(params.query.len() <= 256);
        answer(&mut app, params, Ok(&[]));
    }
    assert!(!app.is_finding);
}

#[test]
fn the_list_shows_six_files_and_goes_on() {
    let (mut app, _dir) = app(false);
    let files: Vec<String> = (0..9).map(|number| format!("f{number}")).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    finds(&mut app, "@f", &files);
    let list = shown(&mut app);
    assert!(list.contains("▸ @f0") && list.contains("  @f5") && !list.contains("@f6"));
    for _ in 0..20 {
        press(&mut app, Key::Down);
    }
    assert!(shown(&mut app).contains("▸ @f8"));
}
