//! Repositories that a command makes.

use libtest_mimic::Trial;

use super::Project;
use crate::session::Session;

pub(super) fn trial() -> Trial {
    crate::trial("obeyed::no_new_repository_runs_anything", new_repositories)
}

/// A directory that git takes for a bare repository with a work tree, made without git.
const BARE: &str = "mkdir -p B/refs B/objects; echo 'ref: refs/heads/x' > B/HEAD; printf \
                    '[core]\\nrepositoryformatversion = 0\\nbare = false\\nworktree = .\\nfsmonitor = touch MARKER;\\n' > B/config";

/// A command, and the directory in which a person then runs `git status` and commits.
const MADE: [(&str, &str); 16] = [
    (
        "git init -q target/n; git -C target/n commit -q --allow-empty -m 1; EVIL >> target/n/.git/config; git add -f target/n",
        ". target/n",
    ),
    (
        "mkdir a; git init -q a/node_modules/n; git -C a/node_modules/n commit -q --allow-empty -m 1; git add -f a/node_modules/n; \
         git update-index --index-version 4; EVIL >> a/node_modules/n/.git/config",
        ". a/node_modules/n",
    ),
    (
        "git init -q n; git -C n commit -q --allow-empty -m 1; EVIL >> n/.git/config; git add n; git commit -qm n",
        ". n",
    ),
    (
        "git init -q n; git -C n config core.fsmonitor 'touch MARKER;'; git add n",
        "n",
    ),
    (
        "git init -q n; git -C n commit -q --allow-empty -m 1; for h in pre-commit post-index-change; do printf 'PAYLOAD' > n/.git/hooks/$h; chmod +x n/.git/hooks/$h; done; git add n",
        ". n",
    ),
    (
        "git init -q n; mkdir h; for h in pre-commit post-index-change; do printf 'PAYLOAD' > h/$h; chmod +x h/$h; done; rm -rf n/.git/hooks; ln -s ../../h n/.git/hooks",
        "n",
    ),
    (
        "git init -q n; EVIL > n/inc; printf '[include]\\npath = ../inc\\n' >> n/.git/config",
        "n",
    ),
    (
        "git init -q n; EVIL > n/.git/config.worktree; git -C n config extensions.worktreeConfig true",
        "n",
    ),
    ("BARE(src)", "src"),
    ("BARE(a/b/c)", "a/b/c"),
    ("BARE(e); mkdir n; echo 'gitdir: ../e' > n/.git", "n"),
    ("BARE(e); mkdir n; ln -s ../e n/.git", "n"),
    (
        "BARE($TMPDIR/e); mkdir n; echo gitdir: $TMPDIR/e > n/.git",
        "n",
    ),
    (
        "BARE(e); mkdir n; echo 'ref: refs/heads/x' > n/HEAD; echo ../e > n/commondir",
        "n",
    ),
    (
        "BARE(.git/modules/m); mkdir n; echo 'gitdir: ../.git/modules/m' > n/.git",
        "n",
    ),
    (
        "git worktree add -q n; EVIL > .git/worktrees/n/config.worktree; BARE(e); echo ../../../e > .git/worktrees/n/commondir",
        "n .",
    ),
];

fn made(script: &str) -> String {
    let evil = "printf '[core]\\nfsmonitor = touch MARKER;\\n'";
    let mut script = script.replace("EVIL", evil);
    while let Some(start) = script.find("BARE(") {
        let end = start + script[start..].find(')').unwrap();
        let bare = BARE.replace("B/", &format!("{}/", &script[start + 5..end]));
        script.replace_range(start..=end, &bare);
    }
    script
}

async fn new_repositories() {
    for (row, (script, places)) in MADE.into_iter().enumerate() {
        let project = Project::with_mounts(row % 2 == 0);
        let answer = project.bash(&made(script)).await;
        for place in places.split(' ') {
            for use_it in ["git status", "git add -A", "git commit --allow-empty -m x"] {
                let in_place = format!("cd {place} && {use_it}");
                assert!(!project.runs(&in_place), "{script}: {in_place}: {answer:?}");
            }
        }
        assert!(
            answer.details["restored"].is_array(),
            "{script}: {answer:?}"
        );
    }
    // Where there is no repository at the top.
    let session = Session::new();
    let marker = session.path("marker");
    let project = Project { session, marker };
    project.bash(&made("BARE(src)")).await;
    assert!(!project.runs("cd src && git status") && !project.runs("git status"));
    // A harmless one is left alone.
    let answer = project
        .bash("git init -q n; git -C n remote add o h:x")
        .await;
    assert!(answer.details.get("restored").is_none(), "{answer:?}");
}
