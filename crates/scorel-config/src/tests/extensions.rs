//! `[extensions]`: the user's alone.

use serde_json::json;

use super::{user, with_project};

const SETTINGS: &str = "[extensions]\ndisabled = ['tidy']\norder = ['guard', 'notes']\n\
    [extensions.notes.config]\nlanguage = 'en'\ndays = [1, 2.5]\nsince = 2026-01-02\n";

#[test]
fn settings_are_read_by_id_and_those_of_a_project_are_ignored() {
    let config = user(SETTINGS).unwrap();
    let settings = &config.extensions;
    assert_eq!(settings.disabled[0].as_str(), "tidy");
    let order: Vec<_> = settings.order.iter().map(|it| it.as_str()).collect();
    assert_eq!(order, ["guard", "notes"]);
    let notes = &settings.config[&"notes".parse().unwrap()];
    let expected = json!({"language": "en", "days": [1, 2.5], "since": "2026-01-02"});
    assert_eq!(*notes, expected);
    let theirs = "[extensions]\ndisabled = ['guard']\n[extensions.notes.config]\nlanguage = 'x'\n";
    let with_theirs = with_project(&config, theirs).unwrap();
    assert_eq!(with_theirs.extensions, config.extensions);
    let ignored: Vec<_> = with_theirs
        .warnings
        .iter()
        .map(|it| it.key.as_str())
        .collect();
    assert_eq!(
        ignored,
        ["extensions.disabled", "extensions.notes.config.language"]
    );
}

#[test]
fn a_mistake_is_reported_with_its_place() {
    for (text, said) in [
        (
            "[extensions]\ndisbled = ['tidy']\n",
            ":2:11: `extensions.disbled`: invalid type: sequence, expected a table with `config`",
        ),
        (
            "[extensions]\norder = ['Not an id']\n",
            "`extensions.order`: the id of an extension has small letters",
        ),
        (
            "[extensions.hook.config]\na = 1\n",
            "`hook` is not an id for an extension",
        ),
        (
            "[extensions.notes]\nconfg = { a = 1 }\n",
            ":2:1: unknown key `extensions.notes.confg`; did you mean `config`?",
        ),
    ] {
        let error = user(text).unwrap_err().to_string();
        assert!(error.contains(said), "{text}: {error}");
    }
}
