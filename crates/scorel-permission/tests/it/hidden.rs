//! What denying rules hide from commands.

use std::path::{Path, PathBuf};

use scorel_permission::{BaseDirs, HiddenPart, Mode, Policy, Rules};

fn policy(deny: &[&str]) -> Policy {
    let rules = Rules {
        deny: deny.iter().map(|rule| rule.parse().unwrap()).collect(),
        ask: vec!["Read(asked/**)".parse().unwrap()],
        ..Rules::default()
    };
    let path = Path::new;
    Policy::new(
        Mode::Workspace,
        rules,
        BaseDirs::new(path("/p"), path("/h"), path("/h/.scorel")),
    )
}

#[test]
fn a_rule_hides_what_it_matches_and_a_tree_what_is_below() {
    let policy = policy(&[
        "Read(secrets/**)",
        "Read(**/*.pem)",
        "Read(~/notes)",
        "Write(w)",
    ]);
    let cases = [
        ("/p/secrets", Some(HiddenPart::Tree)),
        ("/p/secrets/a/b", Some(HiddenPart::Tree)),
        ("/p/a/key.pem", Some(HiddenPart::Entry)),
        ("/h/notes", Some(HiddenPart::Entry)),
        ("/h/notes/a", None),
        ("/p/secret", None),
        ("/p/w", None),
        ("/p/asked/a", None),
    ];
    for (path, expected) in cases {
        assert_eq!(policy.hidden_part(Path::new(path)), expected, "{path}");
    }
}

#[test]
fn the_places_are_as_narrow_as_the_rules() {
    let policy = policy(&[
        "Read(secrets/**)",
        "Read(a/*/b/*.pem)",
        "Read(/etc/x)",
        "Read(~/{a,b/c})",
        "Read",
        "Bash(rm *)",
    ]);
    let place = |path: &str, depth| (PathBuf::from(path), depth);
    let expected = [
        place("/p/secrets", None),
        place("/p/a", Some(3)),
        place("/etc/x", Some(0)),
        place("/h", Some(2)),
        place("/", None),
    ];
    assert_eq!(policy.hidden_places(), expected);
    assert_eq!(self::policy(&[]).hidden_places(), []);
}
