//! Projects whose repository has its data elsewhere: linked work trees, and directories further down.

use std::fs;
use std::path::Path;
use std::process::Command;

use libtest_mimic::Trial;
use scorel_engine::CommandAccess;
use serde_json::json;

use crate::session::{Session, ToolAnswer};
use crate::trial;

/// A linked work tree of an agent, in the daemon's home.
const AGENT: &str = "home/worktrees/rti_1";

const WORKSPACE: CommandAccess = CommandAccess::Workspace { network: false };

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (place, project) in [
        ("a_linked_work_tree", "linked"),
        ("a_directory_below", "main/sub"),
        ("a_work_tree_in_the_home", AGENT),
    ] {
        for (how, mounts) in [("mounts", true), ("guards", false)] {
            trials.push(trial(
                &format!("worktrees::git_works_in_{place}_with_{how}"),
                move || git_works(project, mounts),
            ));
            trials.push(trial(
                &format!("worktrees::hooks_and_settings_stay_in_{place}_with_{how}"),
                move || hooks_and_settings(project, mounts),
            ));
        }
    }
    trials.push(trial(
        "worktrees::a_linked_one_leaves_the_main_one_alone",
        main_one,
    ));
    for (how, mounts) in [("mounts", true), ("guards", false)] {
        trials.push(trial(
            &format!("worktrees::one_in_the_home_opens_nothing_else_with_{how}"),
            move || nothing_else(mounts),
        ));
    }
    trials.push(trial(
        "worktrees::one_in_the_home_is_read_without_a_right_to_write",
        only_read,
    ));
    trials.push(trial("worktrees::a_forged_one_gets_nothing", forged));
    trials
}

pub(crate) fn git(directory: &Path, arguments: &str) {
    let mut command = Command::new("git");
    let settings = ["user.name=n", "user.email=e", "init.defaultBranch=main"];
    for setting in settings {
        command.args(["-c", setting]);
    }
    let output = command
        .args(arguments.split(' '))
        .current_dir(directory)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments}: {output:?}");
}

/// `main`, cloned from `origin` which has the branch `topic`, with the directory `sub` and the linked
/// work tree `linked`.
pub(crate) fn trees() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    for name in ["home/worktrees/rti_2", "origin/sub"] {
        fs::create_dir_all(root.join(name)).unwrap();
    }
    fs::write(root.join("origin/sub/file"), "text").unwrap();
    let origin = root.join("origin");
    for step in [
        "init -q",
        "add -A",
        "commit -qm first",
        "branch topic",
        "branch other",
    ] {
        git(&origin, step);
    }
    git(root, "clone -q origin main");
    for name in ["home/key", "home/worktrees/rti_2/file"] {
        fs::write(root.join(name), "hidden").unwrap();
    }
    git(&root.join("main"), "worktree add -q ../linked");
    directory
}

/// The same with the linked work tree in the daemon's home.
fn agent_trees() -> tempfile::TempDir {
    let directory = trees();
    let main = directory.path().join("main");
    git(&main, &format!("worktree move ../linked ../{AGENT}"));
    directory
}

fn session(project: &str, mounts: bool) -> Session {
    let directory = match project {
        AGENT => agent_trees(),
        _ => trees(),
    };
    Session::at(directory, project, WORKSPACE, |settings| {
        settings.mounts = mounts;
        settings.spaces = mounts;
    })
}

fn untouched(answer: &ToolAnswer) {
    assert!(!answer.is_error, "{answer:?}");
    assert!(answer.details.get("restored").is_none(), "{answer:?}");
    assert!(answer.details.get("unprotected").is_none(), "{answer:?}");
}

async fn git_works(project: &str, mounts: bool) {
    let session = session(project, mounts);
    let answer = session
        .bash(
            "set -e; git() { command git -c user.name=n -c user.email=e \"$@\"; }
             echo x > new; git add new; git commit -qm second; git log --oneline | wc -l
             git checkout -q -b x origin/topic; git switch -q other; git stash list; git tag v1
             git checkout -q x; echo y > new; git add -A; git stash -q; git stash pop -q; git commit -qam third
             git gc -q; git reflog | head -1; git status --short; git branch --show-current",
        )
        .await;
    untouched(&answer);
    assert!(
        answer.text.starts_with("2\n") && answer.text.ends_with("\nx\n"),
        "{answer:?}"
    );
    assert!(!answer.text.contains("error:"), "{answer:?}");
    let directory = session.path(project);
    git(&directory, "rev-parse -q --verify v1");
    git(&directory, "fsck --no-dangling");
    git(&directory, "checkout -q other");
}

async fn hooks_and_settings(project: &str, mounts: bool) {
    let session = session(project, mounts);
    let data = session.path("main/.git");
    let config = fs::read(data.join("config")).unwrap();
    let answer = session
        .bash(
            "D=$(git rev-parse --path-format=absolute --git-common-dir); G=$(git rev-parse --absolute-git-dir)
             git config core.fsmonitor /x; echo x >> $D/config; git config --worktree alias.x '!x'
             echo x > $D/hooks/pre-commit; chmod +x $D/hooks/pre-commit; mv $D/hooks $D/other; mkdir -p $D/hooks
             echo x > $D/hooks/post-checkout; echo /x > $D/commondir; echo x > $G/config.worktree; echo x > $G/hooks; true",
        )
        .await;
    assert!(!answer.is_error, "{answer:?}");
    assert!(answer.details.get("unprotected").is_none(), "{answer:?}");
    assert_eq!(fs::read(data.join("config")).unwrap(), config, "{answer:?}");
    for name in [
        "hooks/pre-commit",
        "hooks/post-checkout",
        "config.worktree",
        "worktrees/linked/config.worktree",
    ] {
        assert!(!data.join(name).exists(), "{name}: {answer:?}");
    }
    assert!(!data.join("commondir").exists(), "{answer:?}");
    git(&session.path(project), "status");
    if mounts {
        assert!(data.join("hooks/pre-commit.sample").exists(), "{answer:?}");
    } else {
        let restored = answer.details["restored"].to_string();
        assert!(
            restored.contains(data.join("config").to_str().unwrap()),
            "{restored}"
        );
    }
}

async fn main_one() {
    let session = session("linked", true);
    let answer = session
        .bash(
            "D=$(git rev-parse --path-format=absolute --git-common-dir)
             echo x > $D/HEAD && echo CHANGED; echo x > $D/index && echo CHANGED; rm $D/HEAD && echo CHANGED
             echo x > $D/info/exclude && echo CHANGED; echo x > $D/../sub/file && echo CHANGED; true",
        )
        .await;
    assert!(
        !answer.is_error && !answer.text.contains("CHANGED"),
        "{answer:?}"
    );
    git(&session.path("main"), "status");
}

async fn nothing_else(mounts: bool) {
    let session = session(AGENT, mounts);
    let answer = session
        .bash(
            "cat ../../key && echo CHANGED; cat ../rti_2/file && echo CHANGED
             for place in ../../x ../x ../rti_2/x ../rti_2/file ../../../main/sub/file ../../../main/x; do
               echo x > $place && echo CHANGED; done
             cat sub/file; echo changed > sub/file && cat sub/file; echo x > .envrc; true",
        )
        .await;
    assert!(
        !answer.is_error && !answer.text.contains("CHANGED"),
        "{answer:?}"
    );
    assert!(answer.text.contains("changed"), "{answer:?}");
    assert!(!session.path(AGENT).join(".envrc").exists(), "{answer:?}");
    for (tool, input) in [
        ("Read", json!({ "path": "sub/file" })),
        ("Write", json!({ "path": "sub/new", "content": "new" })),
    ] {
        let answer = session.call(tool, input).await;
        assert!(!answer.is_error, "{tool}: {answer:?}");
    }
    for path in ["home/key", "home/worktrees/rti_2/file"] {
        let path = session.path(path).canonicalize().unwrap();
        let answer = session.call("Read", json!({ "path": path })).await;
        assert!(answer.is_error, "{answer:?}");
    }
}

async fn only_read() {
    let session = Session::at(agent_trees(), AGENT, CommandAccess::Readonly, |_| {});
    let answer = session
        .bash("cat sub/file; git status --short; git log --oneline | wc -l; echo x > x && echo CHANGED; true")
        .await;
    assert!(answer.text.starts_with("text1\n"), "{answer:?}");
    assert!(!answer.text.contains("CHANGED"), "{answer:?}");
}

async fn forged() {
    let directory = trees();
    let target = directory.path().join("main/.git");
    fs::create_dir(directory.path().join("forged")).unwrap();
    let text = format!("gitdir: {}\n", target.display());
    fs::write(directory.path().join("forged/.git"), text).unwrap();
    let session = Session::at(directory, "forged", WORKSPACE, |_| {});
    let target = target.display();
    let script = format!(
        "echo x > {target}/objects/x && echo CHANGED; echo x > {target}/refs/heads/x && echo CHANGED; git add -A"
    );
    let answer = session.call("Bash", json!({ "command": script })).await;
    assert!(
        answer.is_error && !answer.text.contains("CHANGED"),
        "{answer:?}"
    );
}
