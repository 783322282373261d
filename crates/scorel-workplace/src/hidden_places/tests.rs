use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::test_config::tools;
use scorel_engine::Effect;

use super::{HiddenPlaces, KnownPlaces};
use scorel_home::Stamp;

/// A home directory with credentials in it.
struct UserHome(tempfile::TempDir);

impl UserHome {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for path in [
            ".aws",
            ".ssh",
            ".config/gcloud",
            ".claude/skills",
            "work",
            ".scorel",
        ] {
            fs::create_dir_all(dir.path().join(path)).unwrap();
        }
        Self(dir)
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(path)
    }

    fn hidden(&self, keys: &str) -> HiddenPlaces {
        self.hidden_as_known(&KnownPlaces::default(), keys)
    }

    fn hidden_as_known(&self, known: &KnownPlaces, keys: &str) -> HiddenPlaces {
        let home = self.path("");
        let daemon = self.path(".scorel");
        known.get(&tools(keys), Some(&home), &daemon, |_| None::<OsString>)
    }

    /// Waits until the directories are old enough: a stamp that is too new is not relied on.
    fn settle(&self) {
        let settled = |path: &str| {
            Stamp::current(&self.path(path))
                .unwrap()
                .unwrap()
                .is_settled()
        };
        while !["", ".config", ".ssh"].into_iter().all(settled) {
            std::thread::yield_now();
        }
    }
}

#[test]
fn credentials_are_hidden_and_their_neighbours_are_not() {
    let home = UserHome::new();
    let hidden = home.hidden("");
    for path in [
        ".aws/credentials",
        ".ssh/id",
        ".bash_history",
        ".npmrc",
        ".scorel/env",
        ".claude",
    ] {
        assert!(hidden.hides(&home.path(path)), "{path}");
    }
    for path in ["work/main.rs", ".config/nvim", ".awsx", ".gitconfig", ""] {
        assert!(!hidden.hides(&home.path(path)), "{path}");
    }
    assert!(hidden.reaches(&home.path("")) && hidden.reaches(&home.path(".config")));
    assert!(!hidden.reaches(&home.path("work")));
}

#[test]
fn a_worktree_in_the_daemons_home_is_open_to_its_session() {
    let home = UserHome::new();
    let worktree = home.path(".scorel/worktrees/rti_1");
    let hidden = home.hidden("").opening(Some(&worktree));
    for path in ["", "src/main.rs"] {
        assert!(!hidden.hides(&worktree.join(path)), "{path}");
    }
    for path in [
        ".scorel/env",
        ".scorel/worktrees/rti_2/x",
        ".aws/credentials",
    ] {
        assert!(hidden.hides(&home.path(path)), "{path}");
    }
    assert!(hidden.shown().contains(&worktree));
}

#[test]
fn a_refusal_says_why_and_which_key_lifts_it() {
    let home = UserHome::new();
    let hidden = home.hidden(
        "hidden = [\"~/work\"]"
            .replace('~', home.path("").to_str().unwrap())
            .as_str(),
    );
    let reason = |path: &str| {
        let path = home.path(path);
        hidden.refusal(&Effect::ReadPath { path }).unwrap()
    };
    let aws = reason(".aws/credentials");
    assert!(
        aws.contains("credentials of a cloud service") && aws.contains("`shown`"),
        "{aws}"
    );
    assert!(reason("work/x").contains("`hidden`"));
    assert!(reason(".scorel/env").contains("Scorel"));
    let written = Effect::WritePath {
        path: home.path(".ssh/authorized_keys"),
        named: "x".to_owned(),
        protection: None,
    };
    assert!(hidden.refusal(&written).is_some());
}

#[test]
fn what_is_shown_is_not_hidden_and_scorels_home_always_is() {
    let home = UserHome::new();
    let keys = r#"shown = ["~/.aws", "~/.claude/skills", "~/.config", "~/.scorel"]"#;
    let hidden =
        home.hidden(&keys.replace('~', home.path("").to_str().unwrap().trim_end_matches('/')));
    for path in [".aws/config", ".claude/skills/x", ".config/gcloud/x"] {
        assert!(!hidden.hides(&home.path(path)), "{path}");
    }
    for path in [".claude/login", ".ssh/id", ".scorel/env"] {
        assert!(hidden.hides(&home.path(path)), "{path}");
    }
    assert_eq!(hidden.shown(), [home.path(".claude/skills")]);
    assert!(!hidden.hidden().contains(&home.path(".aws")));
}

#[test]
fn a_place_behind_a_link_is_hidden_where_the_link_leads() {
    let home = UserHome::new();
    fs::create_dir_all(home.path("work/dotfiles/kube")).unwrap();
    symlink("work/dotfiles/kube", home.path(".kube")).unwrap();
    let hidden = home.hidden("");
    for path in [".kube/config", "work/dotfiles/kube/config"] {
        assert!(hidden.hides(&home.path(path)), "{path}");
    }
    assert!(!hidden.hides(Path::new("/usr/include/stdio.h")));
}

#[test]
fn known_places_are_found_again_after_every_change_that_decides_about_them() {
    let (home, known) = (UserHome::new(), KnownPlaces::default());
    home.settle();
    let found = || home.hidden_as_known(&known, "");
    assert_eq!(found(), home.hidden(""));
    assert!(known.holds(), "nothing has changed");
    let elsewhere = tempfile::tempdir().unwrap();
    let outside = elsewhere.path().canonicalize().unwrap();

    fs::create_dir_all(home.path(".local/share/keyrings")).unwrap();
    assert!(!known.holds());
    assert!(found().hides(&home.path(".local/share/keyrings/login")));

    fs::rename(home.path(".ssh"), outside.join("ssh")).unwrap();
    symlink(outside.join("ssh"), home.path(".ssh")).unwrap();
    assert!(
        found().hides(&outside.join("ssh/id")),
        "the target of a link"
    );

    fs::rename(home.path(".config"), outside.join("config")).unwrap();
    symlink(outside.join("config"), home.path(".config")).unwrap();
    assert!(
        found().hides(&outside.join("config/gcloud/x")),
        "behind a directory"
    );

    let more = home.hidden_as_known(&known, "hidden = [\"~/work\"]");
    assert!(more.hides(&home.path("work/x")), "another configuration");
}
