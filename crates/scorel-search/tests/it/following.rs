//! The index follows the logs, whatever happens to them and to it.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;

use scorel_proto::{Block, MessageBody, PersistentBody, ProjectId, Role, SessionChanges};
use scorel_search::{SearchFilter, check_search_index};
use scorel_session::SessionFeature as _;
use serde_json::json;

use crate::search_home::{SearchHome, everything, message};

const TS: u64 = 1_785_542_400_000;

/// What happens to an index, and how.
type SpoiledIndex = (&'static str, fn(&SearchHome));

fn titled(title: &str) -> SessionChanges {
    SessionChanges {
        title: Some(title.to_owned()),
        ..SessionChanges::default()
    }
}

#[test]
fn only_what_is_published_is_indexed() {
    let home = SearchHome::new();
    let mut log = home.log(ProjectId::generate());
    home.start();
    let first = log.say(Role::User, "one apple", TS);
    log.say(Role::User, "two apples", TS);
    home.committed(&first);
    home.wait_until(|_| home.snippets("apple").len() == 1);
    assert!(home.snippets("apples").is_empty(), "not published yet");
    let third = log.say(Role::User, "three apples", TS);
    home.committed(&third);
    home.wait_until(|_| home.snippets("apples").len() == 2);
}

#[test]
fn what_tools_wrote_and_what_models_thought_is_no_word() {
    let home = SearchHome::new();
    let mut log = home.log(ProjectId::generate());
    let call = Block::ToolUse {
        id: "c".to_owned(),
        name: "Write".to_owned(),
        input: json!({"path": "src/pear.rs", "content": format!("begin {} farend", "y ".repeat(2000))}),
        invalid_input: None,
        provider: None,
    };
    let thinking = Block::Thinking {
        text: "secretly".to_owned(),
        signature: None,
        redacted: false,
        provider: None,
    };
    let content = vec![thinking, Block::text("openly"), call];
    let body = MessageBody::new(message(Role::Assistant, content));
    log.append(PersistentBody::Message(body), TS);
    log.say(Role::ToolResult, "tooled", TS);
    log.say(Role::Internal, "inwardly", TS);
    home.start();
    for (word, count) in [
        ("openly", 1),
        ("pear", 1),
        ("begin", 1),
        ("farend", 0),
        ("secretly", 0),
        ("tooled", 0),
        ("inwardly", 0),
        ("write", 0),
    ] {
        assert_eq!(home.snippets(word).len(), count, "{word}");
    }
}

#[test]
fn a_session_is_found_by_its_last_title_alone() {
    let home = SearchHome::new();
    let mut log = home.log(ProjectId::generate());
    log.say(Role::User, "the opening words\nand more", TS);
    home.start();
    let titles = |query: &str| {
        let hits = home.words(query, &everything());
        let titles = hits.into_iter().map(|hit| (hit.role, hit.title.unwrap()));
        titles.collect::<Vec<_>>()
    };
    let opening = (Some(Role::User), "the opening words".to_owned());
    assert_eq!(titles("opening"), [opening]);
    home.committed(&log.change(titled("Quince jam"), TS + 1));
    home.wait_until(|_| !home.snippets("quince").is_empty());
    home.committed(&log.change(titled("Plum jam"), TS + 2));
    home.wait_until(|_| !home.snippets("plum").is_empty());
    assert_eq!(titles("jam"), [(None, "Plum jam".to_owned())]);
    assert_eq!(titles("opening")[0].1, "Plum jam");
    assert!(titles("quince").is_empty());
    let by_user = SearchFilter {
        role: Some(Role::User),
        ..everything()
    };
    assert!(home.words("jam", &by_user).is_empty());
}

#[test]
fn an_archived_session_is_found_where_it_is_looked_for() {
    let home = SearchHome::new();
    let mut log = home.log(ProjectId::generate());
    log.say(Role::User, "fig", TS);
    home.start();
    let archived = SearchFilter {
        archived: true,
        ..everything()
    };
    for is_archived in [true, false] {
        let changes = SessionChanges {
            archived: Some(is_archived),
            ..SessionChanges::default()
        };
        home.committed(&log.change(changes, TS));
        home.wait_until(|_| home.words("fig", &archived).len() == usize::from(is_archived));
        assert_eq!(home.snippets("fig").len(), usize::from(!is_archived));
    }
}

#[test]
fn a_log_that_is_not_the_same_any_more_is_indexed_anew() {
    let project = ProjectId::generate();
    let mut home = SearchHome::new();
    let (id, other) = {
        let mut log = home.log(project);
        log.say(Role::User, "apple one", TS);
        log.say(Role::User, "apple two", TS);
        let mut other = home.log(project);
        other.say(Role::User, "melon", TS);
        (log.id, other.id)
    };
    home.start();
    assert_eq!(home.snippets("apple").len(), 2);
    let path = home.log_path(id);

    // Shortened, in the same file.
    let text = fs::read_to_string(&path).unwrap();
    let short = text.trim_end().rfind('\n').unwrap() + 1;
    fs::OpenOptions::new()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(short as u64)
        .unwrap();
    assert_eq!(
        home.snippets("apple"),
        ["apple one"],
        "before it is noticed"
    );
    home.index.loaded(id);
    home.wait();
    assert_eq!(home.snippets("apple"), ["apple one"]);

    // Diverged, in the same file.
    let changed = {
        let aside = SearchHome::new();
        let mut log = aside.log_of(id, project);
        log.say(Role::User, "grape one", TS);
        fs::read(aside.log_path(id)).unwrap()
    };
    fs::write(&path, changed).unwrap();
    home.index.loaded(id);
    home.wait_until(|_| home.snippets("grape").len() == 1);
    assert!(home.snippets("apple").is_empty());

    // Replaced while no daemon runs, by a file of the same content; and one is gone.
    home.restart();
    fs::copy(&path, path.with_extension("new")).unwrap();
    fs::rename(path.with_extension("new"), &path).unwrap();
    fs::remove_dir_all(home.session_dir(other)).unwrap();
    assert!(home.snippets("melon").is_empty(), "its log is gone");
    home.start();
    assert_eq!(home.snippets("grape").len(), 1);
    fs::rename(&path, path.with_extension("aside")).unwrap();
    home.index.removed(id);
    home.wait_until(|_| home.records() == 0);
}

#[test]
fn damage_in_a_log_hides_nothing_around_it() {
    let home = SearchHome::new();
    let mut log = home.log(ProjectId::generate());
    for number in ["one", "two", "three"] {
        log.say(Role::User, &format!("kiwi {number}"), TS);
    }
    let path = home.log_path(log.id);
    let text = fs::read_to_string(&path).unwrap();
    let torn = r#"{"torn":"#;
    fs::write(
        &path,
        format!("{}{torn}", text.replace("kiwi two", "kiwi tow")),
    )
    .unwrap();
    home.start();
    let mut found = home.snippets("kiwi");
    found.sort();
    assert_eq!(found, ["kiwi one", "kiwi three"]);
}

#[test]
fn an_index_that_is_damaged_missing_or_of_another_version_is_made_anew() {
    let mut home = SearchHome::new();
    for text in ["mango one", "mango two"] {
        home.log(ProjectId::generate()).say(Role::User, text, TS);
    }
    home.start();
    let mode = fs::metadata(home.file()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    check_search_index(&home.file()).unwrap();
    let spoil: [SpoiledIndex; 5] = [
        ("deleted", |home| fs::remove_file(home.file()).unwrap()),
        ("garbage", |home| {
            fs::write(home.file(), "garbage".repeat(10_000)).unwrap();
        }),
        ("emptied", |home| fs::write(home.file(), "").unwrap()),
        ("overwritten", |home| {
            let mut file = fs::OpenOptions::new()
                .write(true)
                .open(home.file())
                .unwrap();
            file.write_all(&[0xff; 20_000]).unwrap();
        }),
        ("other version", |home| {
            let connection = rusqlite::Connection::open(home.file()).unwrap();
            connection.pragma_update(None, "user_version", 99).unwrap();
        }),
    ];
    for (what, spoil) in spoil {
        for is_running in [true, false] {
            if !is_running {
                home.restart();
            }
            spoil(&home);
            if !is_running {
                // Not until it has everything: queries that come before find less, and never fail.
                home.index.start().unwrap();
            }
            home.wait_until(|_| home.snippets("mango").len() == 2);
            println!("{what}, running: {is_running}");
        }
    }
    fs::write(home.file(), "no database").unwrap();
    let refused = check_search_index(&home.file()).unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::InvalidData);
}

#[test]
fn without_an_index_the_reason_is_the_answer() {
    let home = SearchHome::new();
    fs::create_dir(home.file()).unwrap();
    home.index.start().unwrap();
    home.wait_until(|index| index.words("x", &everything()).is_err());
    fs::remove_dir(home.file()).unwrap();
    home.wait_until(|index| index.words("x", &everything()).is_ok());
}
