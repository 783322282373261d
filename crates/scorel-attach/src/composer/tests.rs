use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::thread;

use tempfile::TempDir;

use super::*;

fn state() -> (TempDir, StateDir) {
    let dir = tempfile::tempdir().unwrap();
    let state = StateDir::of(Some(dir.path().into()), None).unwrap();
    (dir, state)
}

fn with(text: &str) -> Composer {
    let mut composer = Composer::default();
    composer.set(text);
    composer
}

fn press(composer: &mut Composer, keys: &[Key]) {
    for &key in keys {
        assert!(composer.key(key).unwrap(), "{key:?}");
    }
}

fn shown(composer: &mut Composer, columns: usize, max: usize) -> (Vec<String>, (usize, usize)) {
    let (lines, caret) = composer.rows(columns, max);
    (lines.iter().map(Line::text).collect(), caret)
}

#[test]
fn keys_move_and_delete_by_graphemes() {
    let mut composer = with("aé\u{301}👩‍👩‍👧z");
    press(&mut composer, &[Key::Left, Key::Backspace]);
    assert_eq!(composer.text(), "aé\u{301}z");
    press(
        &mut composer,
        &[Key::Backspace, Key::Char('b'), Key::Delete],
    );
    assert_eq!(composer.text(), "ab");
}

#[test]
fn words_are_cut_and_come_back() {
    let mut composer = with("one two three");
    press(&mut composer, &[Key::Ctrl('w'), Key::Ctrl('w')]);
    assert_eq!(composer.text(), "one ");
    press(&mut composer, &[Key::Ctrl('a'), Key::Ctrl('y')]);
    assert_eq!(composer.text(), "two threeone ");
    press(
        &mut composer,
        &[Key::WordLeft, Key::WordLeft, Key::Ctrl('k')],
    );
    assert_eq!(composer.text(), "");
}

#[test]
fn enter_after_a_backslash_is_a_new_line() {
    let mut composer = with("one\\");
    assert_eq!(composer.enter(), Enter::Newline);
    assert_eq!(composer.text(), "one\n");
    assert_eq!(composer.enter(), Enter::Send);
    assert_eq!(composer.take(), "one\n");
    assert!(composer.is_empty());
}

#[test]
fn long_pastes_are_labels_that_move_and_go_as_one() {
    let long = "line [paste 1: 30 lines]\n".repeat(30);
    let mut composer = with("see ");
    composer.paste(&long).unwrap();
    composer.paste("short").unwrap();
    assert_eq!(
        shown(&mut composer, 80, 5).0,
        ["❯ see [paste 1: 30 lines]short"]
    );
    assert_eq!(composer.text(), format!("see {long}short"));
    press(&mut composer, &[Key::WordLeft, Key::Left, Key::Char('x')]);
    assert_eq!(
        shown(&mut composer, 80, 5).0,
        ["❯ see x[paste 1: 30 lines]short"]
    );
    press(&mut composer, &[Key::Right, Key::Ctrl('w')]);
    assert_eq!(composer.text(), "see xshort");
    press(&mut composer, &[Key::Ctrl('y')]);
    assert_eq!(composer.text(), format!("see x{long}short"));
    press(&mut composer, &[Key::Backspace]);
    assert_eq!(composer.text(), "see xshort");
    composer.paste(&"x".repeat(3000)).unwrap();
    assert_eq!(
        shown(&mut composer, 80, 5).0,
        ["❯ see x[paste 2: 3000 bytes]short"]
    );
}

#[test]
fn a_megabyte_is_pasted_and_sent_whole_in_any_pieces() {
    let text = "0123456789abcde\n".repeat(65536);
    let paste = |piece: usize| {
        let mut composer = Composer::default();
        for piece in text.as_bytes().chunks(piece) {
            composer.paste(str::from_utf8(piece).unwrap()).unwrap();
        }
        let (rows, _) = shown(&mut composer, 80, 9);
        assert!(rows.len() <= 9);
        assert!(composer.take() == text, "{piece}");
    };
    // Each takes seconds.
    thread::scope(|scope| {
        for piece in [text.len(), 4096, 1000] {
            let paste = &paste;
            scope.spawn(move || paste(piece));
        }
    });
}

#[test]
fn a_text_has_a_largest_size() {
    let mut composer = Composer::default();
    composer.paste(&"x".repeat(MAX_TEXT - 100)).unwrap();
    assert_eq!(composer.paste(&"y".repeat(3000)), Err(TooLong));
    assert_eq!(composer.text().len(), MAX_TEXT - 100);
    let mut composer = Composer::default();
    let mut count = 0;
    while composer.paste(&"y".repeat(2000)).is_ok() && count < 1000 {
        count += 1;
    }
    assert!(composer.editor.text().len() <= MAX_SHOWN + 2 * pasted::MAX_LABEL);
}

#[test]
fn rows_wrap_and_follow_the_caret() {
    let mut composer = with("abcdefgh\n漢字漢字x");
    assert_eq!(
        shown(&mut composer, 8, 9),
        (
            ["❯ abcdef", "  gh", "  漢字漢", "  字x"]
                .map(str::to_owned)
                .to_vec(),
            (3, 5)
        )
    );
    assert_eq!(shown(&mut composer, 8, 2).0, ["  漢字漢", "  字x"]);
    press(&mut composer, &[Key::Up, Key::Up, Key::Up]);
    assert_eq!(
        shown(&mut composer, 8, 2),
        (["❯ abcdef", "  gh"].map(str::to_owned).to_vec(), (0, 4))
    );
    assert!(!composer.key(Key::Up).unwrap());
    press(&mut composer, &[Key::Char('X'), Key::Down]);
    assert_eq!(composer.text(), "abXcdefgh\n漢字漢字x");
}

#[test]
fn a_full_row_leaves_a_cell_for_the_caret() {
    let mut composer = with("abcdef");
    assert_eq!(
        shown(&mut composer, 8, 9),
        (["❯ abcdef", "  "].map(str::to_owned).to_vec(), (1, 2))
    );
}

#[test]
fn controls_are_visible() {
    let mut composer = with("a\x1b[31m\tb");
    assert_eq!(shown(&mut composer, 40, 9).0, ["❯ a⟨1b⟩[31m    b"]);
    assert_eq!(composer.text(), "a\x1b[31m\tb");
}

#[test]
fn up_brings_back_what_ctrl_c_cleared_then_the_history() {
    let (_dir, state) = state();
    let mut history = History::load(state, "p");
    history.add("first").unwrap();
    history.add("second").unwrap();
    let mut composer = with("draft");
    assert!(composer.cancel());
    assert!(!composer.cancel());
    assert!(composer.older(&history));
    assert_eq!(composer.text(), "draft");
    assert!(composer.older(&history) && composer.older(&history));
    assert_eq!(composer.text(), "first");
    assert!(!composer.older(&history));
    assert!(composer.newer(&history) && composer.newer(&history));
    assert_eq!(composer.text(), "draft");
    assert!(!composer.newer(&history));
}

#[test]
fn history_is_shared_bounded_and_survives_damage() {
    let (dir, state) = state();
    let mut one = History::load(state.clone(), "p/../q");
    let mut other = History::load(state.clone(), "p/../q");
    for at in 0..1500 {
        one.add(&format!("one {at}\nmore")).unwrap();
        other.add(&format!("other {at}")).unwrap();
    }
    one.add(" secret").unwrap();
    one.add(&"x".repeat(100_000)).unwrap();
    let path = dir.path().join("scorel/history/p____q");
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let parent = path.parent().unwrap();
    assert_eq!(
        fs::metadata(parent).unwrap().permissions().mode() & 0o777,
        0o700
    );
    let mut bytes = fs::read(&path).unwrap();
    bytes.splice(0..20, *b"\xff\xfe{not json at all");
    bytes.extend_from_slice(b"\"unfinished");
    fs::write(&path, bytes).unwrap();
    let history = History::load(state, "p/../q");
    assert_eq!(history.newest(0), Some("other 1499"));
    assert_eq!(history.newest(1), Some("one 1499\nmore"));
    assert!(history.newest(999).is_some());
    assert_eq!(history.newest(1000), None);
    assert!(fs::read_to_string(&path).unwrap().lines().count() <= 1000);
}

#[test]
fn the_history_is_searched_backwards() {
    let (_dir, state) = state();
    let mut history = History::load(state, "p");
    for text in ["cargo test", "ls", "Cargo build", "pwd"] {
        history.add(text).unwrap();
    }
    let mut search = Search::default();
    for char in "cargo".chars() {
        search.typed(char, &history);
    }
    assert_eq!(search.found(&history), Some("Cargo build"));
    search.older(&history);
    assert_eq!(search.found(&history), Some("cargo test"));
    search.older(&history);
    assert_eq!(search.found(&history), Some("cargo test"));
    search.typed('x', &history);
    assert_eq!(search.found(&history), None);
    search.backspace(&history);
    assert_eq!(search.found(&history), Some("Cargo build"));
}

#[test]
fn drafts_are_private_and_whole() {
    let (dir, state) = state();
    let drafts = Drafts::new(state);
    let mut composer = with("see ");
    composer.paste(&"line\n".repeat(30)).unwrap();
    drafts.save("s1", &composer.draft()).unwrap();
    let path = dir.path().join("scorel/drafts/s1");
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let mut again = Composer::default();
    again.restore(drafts.load("s1").unwrap());
    assert_eq!(again.text(), composer.text());
    again.key(Key::Char(' ')).unwrap();
    again.paste(&"more\n".repeat(30)).unwrap();
    assert!(again.draft().text.contains("[paste 2: 30 lines]"));
    fs::write(&path, "{damaged").unwrap();
    assert_eq!(drafts.load("s1"), None);
    drafts.save("s1", &Draft::default()).unwrap();
    assert!(!path.exists());
    drafts.save("s1", &Draft::default()).unwrap();
}

#[test]
fn a_draft_that_cannot_be_saved_leaves_the_last_one() {
    let (dir, state) = state();
    let drafts = Drafts::new(state);
    drafts.save("s1", &with("kept").draft()).unwrap();
    let parent = dir.path().join("scorel/drafts");
    fs::rename(&parent, dir.path().join("moved")).unwrap();
    fs::write(&parent, "not a directory").unwrap();
    drafts.save("s1", &with("lost").draft()).unwrap_err();
    fs::remove_file(&parent).unwrap();
    fs::rename(dir.path().join("moved"), &parent).unwrap();
    assert_eq!(drafts.load("s1"), Some(with("kept").draft()));
    assert_eq!(fs::read_dir(&parent).unwrap().count(), 1);
}

#[test]
fn words_with_a_sign_are_completed() {
    let prefix = |text: &str| with(text).prefix().map(|it| (it.sign, it.word));
    assert_eq!(prefix("look at @src/ma"), Some(('@', "src/ma".to_owned())));
    assert_eq!(prefix("/re"), Some(('/', "re".to_owned())));
    assert_eq!(prefix("/etc/passwd"), None);
    assert_eq!(prefix("a /re"), None);
    assert_eq!(prefix("می"), None);
    assert_eq!(prefix("漢\u{3000}字"), None);
    assert_eq!(prefix("@漢"), Some(('@', "漢".to_owned())));
    assert_eq!(prefix("mail@host"), None);
    assert_eq!(prefix("@"), Some(('@', String::new())));
    assert_eq!(prefix("@a "), None);
    let mut composer = with("look at @src/ma please");
    press(&mut composer, &[Key::WordLeft, Key::Left]);
    composer.complete("@src/main.rs");
    assert_eq!(composer.text(), "look at @src/main.rs please");
}
