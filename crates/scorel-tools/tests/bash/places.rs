//! Places of a home directory that commands replace by links, and what package caches hold.

use std::fs;
use std::path::Path;

use libtest_mimic::Trial;
use scorel_engine::CommandAccess;
use scorel_exec::Environment;
use scorel_tools::PackageCaches;
use serde_json::json;

use crate::session::{Session, ToolAnswer};
use crate::trial;

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (how, mounts) in [("mounts", true), ("landlock", false)] {
        for (name, script, named) in LINKS {
            trials.push(trial(
                &format!("places::with_{how}_nothing_opens_through_{name}"),
                move || links(script, named, mounts),
            ));
        }
    }
    for (how, project) in [("elsewhere", "user/work"), ("the_home", "user")] {
        trials.push(trial(
            &format!("places::code_in_caches_stays_if_the_project_is_{how}"),
            move || packages(project),
        ));
    }
    trials.push(trial("places::links_of_the_user_are_followed", followed));
    trials.push(trial(
        "places::a_command_of_another_project_makes_no_link_that_is_followed",
        other_project,
    ));
    trials
}

const SECRET: &str = "not to be seen";

/// Configured caches of the home.
const CACHES: [&str; 6] = [
    ".cache/pip",
    ".npm/_npx",
    "go/pkg",
    ".cargo/git",
    "ch/git",
    ".local/share/x/y",
];

/// The attempts of the next command, below the home: to read and to write through each cache.
const TRY: &str = "for c in .cache/pip .npm/_npx go/pkg .cargo/git ch/git .local/share/x/y link; do
    cat $c/id $c/env $c/f $c/.ssh/id $c/.scorel/env; echo ESCAPED > $c/f; echo ESCAPED > $c/new; echo ESCAPED >> $c/authorized_keys
    done; cat .ssh/id .scorel/env; cat ../any/f >/dev/null; echo ESCAPED > ../any/f; echo ESCAPED > ../any/new; chmod 700 ../any; true";

/// A name, a command that makes links, and the cache that is left out for it.
const LINKS: &[(&str, &str, &str)] = &[
    (
        "a_cache_that_leads_to_the_daemons_home",
        "rm -rf .cache/pip; ln -s ../.scorel .cache/pip",
        ".cache/pip",
    ),
    (
        "a_cache_that_leads_to_keys",
        "rm -rf go/pkg; ln -s ../.ssh go/pkg",
        "go/pkg",
    ),
    (
        "a_cache_that_leads_anywhere",
        "rm -rf .npm/_npx; ln -s $PWD/../any .npm/_npx",
        ".npm/_npx",
    ),
    (
        "a_relative_link",
        "rm -rf .npm/_npx; ln -s ../../any .npm/_npx",
        ".npm/_npx",
    ),
    (
        "a_directory_before_a_cache",
        "rm -rf ch; mkdir ../user/evil; ln -s ../../any evil/git; ln -s evil ch",
        "ch/git",
    ),
    (
        "a_link_to_a_link",
        "rm -rf go/pkg; ln -s ../link go/pkg; ln -s ../any link",
        "go/pkg",
    ),
    (
        "a_link_before_a_hidden_place",
        "rm -rf go; ln -s . go; ln -s .ssh pkg",
        "go/pkg",
    ),
    (
        "a_link_to_the_home",
        "rm -rf .npm/_npx; ln -s ../.. .npm/_npx",
        ".npm/_npx",
    ),
    (
        "a_link_to_the_root",
        "rm -rf .cache/pip; ln -s / .cache/pip",
        ".cache/pip",
    ),
    (
        "a_link_by_dots",
        "rm -rf .cache/pip; ln -s ./../.cache/../../user/.ssh .cache/pip",
        ".cache/pip",
    ),
    (
        "a_link_through_proc",
        "rm -rf .cache/pip; ln -s /proc/self/root$PWD/.ssh .cache/pip",
        ".cache/pip",
    ),
    (
        "a_link_through_a_descriptor",
        "rm -rf .cache/pip; ln -s /proc/self/cwd/../any .cache/pip",
        ".cache/pip",
    ),
    (
        "a_deep_cache",
        "rm -rf .local/share/x; ln -s ../../../any .local/share/x; ln -s . ../any/y",
        "",
    ),
    (
        "a_moved_parent",
        "mv .local/share .local/s; ln -s ../../any .local/share; mkdir -p .local/s/x/y",
        "",
    ),
    (
        "a_loop",
        "rm -rf .cache/pip; ln -s pip .cache/pip",
        ".cache/pip",
    ),
    (
        "a_hard_link",
        "ln .ssh/id .cache/pip/id; ln .scorel/env .cache/pip/env; ln ../any/f .cache/pip/f",
        "",
    ),
    (
        "moved_keys",
        "mv .ssh .cache/pip/; mv .ssh keys; mv .scorel s; cp -r .ssh link",
        "",
    ),
    (
        "a_mount",
        "mkdir link; unshare -Urm mount --bind .ssh link; mount --bind .ssh .cache/pip",
        "",
    ),
    (
        "a_renamed_cache",
        "mv .cache .c2; mkdir .cache; ln -s ../.ssh .cache/pip",
        ".cache/pip",
    ),
    (
        "an_exchanged_cache",
        "ln -s ../.ssh .cache/l; python3 -c 'import ctypes; ctypes.CDLL(None).renameat2(-100, b\".cache/l\", -100, b\".cache/pip\", 2)'; true",
        "",
    ),
];

/// A home with keys, the daemon's home, caches, and a directory beside it.
fn session(project: &str, mounts: bool, caches: &[&str], change: impl FnOnce(&Path)) -> Session {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    let home = root.join("user");
    for name in CACHES.iter().chain(&["work", ".ssh", ".scorel", "../any"]) {
        fs::create_dir_all(home.join(name)).unwrap();
    }
    for name in [".ssh/id", ".scorel/env"] {
        fs::write(home.join(name), SECRET).unwrap();
    }
    fs::write(home.join("../any/f"), "open").unwrap();
    change(&root);
    let variables = std::env::vars_os().map(|(name, value)| match name.to_str() {
        Some("HOME") => (name, home.clone().into()),
        _ => (name, value),
    });
    let variables = variables.filter(|(name, _)| name != "CARGO_HOME" && name != "GOPATH");
    Session::with_homes(directory, project, "user/.scorel", |settings| {
        settings.environment = Environment::scrubbed(variables, &[]);
        settings.caches = caches.iter().map(|name| home.join(name)).collect();
        settings.packages = PackageCaches::of(&home, &settings.environment);
        settings.hidden = vec![home.join(".ssh")];
        settings.mounts = mounts;
        settings.spaces = mounts;
    })
}

fn check(session: &Session, answer: &ToolAnswer) {
    assert!(!answer.text.contains(SECRET), "{answer:?}");
    for (name, text) in [
        ("user/.ssh/id", SECRET),
        ("user/.scorel/env", SECRET),
        ("any/f", "open"),
    ] {
        let now = fs::read_to_string(session.path(name)).unwrap();
        assert_eq!(now, text, "{name}: {answer:?}");
    }
    for name in [
        "any/new",
        "any/authorized_keys",
        "user/.ssh/authorized_keys",
        "user/.ssh/new",
    ] {
        assert!(!session.path(name).exists(), "{name}: {answer:?}");
    }
}

async fn links(script: &str, named: &str, mounts: bool) {
    let session = session("user", mounts, &CACHES, |_| {});
    let first = session.bash(&format!("{script}; true")).await;
    check(&session, &first);
    // Without mounts no entry can be made at the top of a home with something hidden.
    let is_made = session.path("user").join(named).is_symlink();
    let answer = session.bash(TRY).await;
    check(&session, &answer);
    if is_made && !named.is_empty() {
        let left_out = answer.details["leftOut"].to_string();
        assert!(left_out.contains(named), "{answer:?}");
        assert!(answer.text.contains("could not write to"), "{answer:?}");
    }
}

async fn followed() {
    let session = session("user/work", true, &CACHES, |root| {
        fs::create_dir_all(root.join("big/pip")).unwrap();
        fs::remove_dir_all(root.join("user/.cache")).unwrap();
        std::os::unix::fs::symlink("../big", root.join("user/.cache")).unwrap();
    });
    let answer = session
        .bash("echo x > ../.cache/pip/new && echo x > ../go/pkg/new")
        .await;
    assert!(!answer.is_error, "{answer:?}");
    assert!(answer.details.get("leftOut").is_none(), "{answer:?}");
    assert!(session.path("big/pip/new").exists(), "{answer:?}");
}

async fn other_project() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    for name in ["home", "project", "other", "any"] {
        fs::create_dir_all(root.join(name)).unwrap();
    }
    std::os::unix::fs::symlink("../any", root.join("other/cache")).unwrap();
    let session = Session::with_homes(directory, "project", "home", |settings| {
        settings.caches = vec![root.join("other/cache")];
        settings.changeable = vec![root.join("other")];
    });
    let answer = session.bash("echo x > ../any/new; true").await;
    assert!(!session.path("any/new").exists(), "{answer:?}");
    assert_eq!(answer.details["leftOut"], json!([root.join("other/cache")]));
}

/// Files of caches that builds run or trust.
const CODE: [&str; 14] = [
    ".cargo/git/checkouts/one-1/abc/build.rs",
    ".cargo/git/db/one-1/config",
    ".cargo/registry/cache/i/crate-1.crate",
    ".cargo/registry/src/i/crate-1/build.rs",
    "go/pkg/mod/example.org/m@v1.0.0/m.go",
    "go/pkg/mod/cache/download/example.org/m/@v/v1.0.0.zip",
    "go/pkg/mod/cache/vcs/1/config",
    ".npm/_npx/1/node_modules/.bin/tool",
    ".npm/_cacache/index-v5/1",
    ".cache/uv/archive-v0/1/module.py",
    ".cache/go-build/00/1-a",
    ".cache/pip/wheels/1/x.whl",
    ".cache/yarn/v6/x/index.js",
    ".local/share/pnpm/store/v3/files/00/1",
];

async fn packages(project: &str) {
    let session = session(project, true, &[], |root| {
        for name in CODE {
            let path = root.join("user").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, SECRET).unwrap();
        }
        fs::write(root.join("user/.cargo/.package-cache"), "").unwrap();
        for repository in [".cargo/git/db/one-1", "go/pkg/mod/cache/vcs/1"] {
            fs::create_dir_all(root.join("user").join(repository).join("objects")).unwrap();
        }
    });
    let home = session.path("user").canonicalize().unwrap();
    let script = format!(
        "cd {}; for f in {}; do echo x >> $f; rm -f $f; echo x > $f; d=$(dirname $f); mv $d $d.moved; rm -rf $d; mkdir -p $d; echo x > $f
           echo x > $d/.t; mv $d/.t $f; ln -sf /any $f; chmod 777 $f; touch $f; done
         mkdir -p .cargo/git/db/one-1/hooks; echo x > .cargo/git/db/one-1/hooks/post-merge
         mkdir -p .cargo/registry/src/i/crate-2 && echo x > .cargo/registry/src/i/crate-2/lib.rs && echo ADDED
         mkdir -p go/pkg/mod/example.org/n@v1.0.0 && echo ADDED; echo x > .cargo/.package-cache && echo LOCKED; true",
        home.display(),
        CODE.join(" ")
    );
    for network in [false, true] {
        let input = json!({ "command": script });
        let access = CommandAccess::Workspace { network };
        let answer = session.call_granted("Bash", input, access).await;
        for name in CODE {
            let now = fs::read_to_string(home.join(name)).unwrap_or_default();
            assert_eq!(now, SECRET, "{name}, network: {network}: {answer:?}");
        }
        let hook = home.join(".cargo/git/db/one-1/hooks/post-merge");
        assert!(!hook.exists(), "network: {network}: {answer:?}");
        assert_eq!(
            answer.text.matches("ADDED").count(),
            if network { 2 } else { 0 },
            "{answer:?}"
        );
        assert!(answer.text.contains("LOCKED"), "{answer:?}");
    }
}
