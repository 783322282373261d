//! A name that may be a branch or a file.

use scorel_permission::{Decision, Mode};

use crate::support::{decide, policy};

/// Git refuses a name that is both a branch's and a file's, so a file that is there is overwritten.
#[test]
fn a_name_given_to_checkout_is_a_file_where_there_is_one() {
    let plain = policy(Mode::Workspace, &[], &[], &[]);
    for (command, path) in [
        ("git checkout docs", "/p/docs"),
        ("git checkout -q src/parser", "/p/src/parser"),
        ("cd sub && git checkout gradlew", "/p/sub/gradlew"),
        ("git -C sub checkout gradlew", "/p/sub/gradlew"),
        ("flock l git checkout docs", "/p/docs"),
    ] {
        let action = crate::support::run(command);
        assert!(plain.restored(&action).contains(&path.into()), "{command}");
        assert_eq!(decide(&plain, command), Decision::Allow, "{command}");
        let known = plain.clone().with_files(vec![path.into()]);
        assert_eq!(decide(&known, command), Decision::Ask, "{command}");
        let granted = known.clone().allowing(known.offer(&action).rules);
        assert_eq!(decide(&granted, command), Decision::Allow, "{command}");
    }
    for command in [
        "git checkout -b docs",
        "git checkout a b",
        "git switch docs",
        "git log docs",
    ] {
        let restored = plain.restored(&crate::support::run(command));
        assert!(restored.is_empty(), "{command}: {restored:?}");
    }
}
