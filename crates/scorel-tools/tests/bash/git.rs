//! Git in a command, and the real git afterwards: its configuration, its repositories further down, and its
//! everyday work.

use std::fs;

use libtest_mimic::Trial;
use scorel_exec::DirectoryStamp;
use serde_json::{Value, json};

use crate::obeyed::{Project, ended};
use crate::session::{ToolAnswer, canary, supervisor_of};
use crate::trial;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial(
            "git::harmless_settings_of_git_are_taken_over",
            harmless_settings,
        ),
        trial(
            "git::other_settings_of_git_are_never_in_the_file",
            other_settings,
        ),
        trial(
            "git::settings_are_taken_over_from_a_killed_supervisor",
            supervisor_killed,
        ),
        trial("git::settings_changed_meanwhile_stay", changed_meanwhile),
        trial("git::a_file_that_lost_its_mount_is_put_back", replaced),
        trial("git::no_remote_is_a_path", local_remotes),
        trial("git::what_cannot_be_listed_is_found", unreadable),
        trial(
            "git::what_is_new_in_old_directories_is_found",
            later_repositories,
        ),
        trial("git::a_work_tree_is_removed_whole", work_tree_removed),
        trial("git::commands_in_a_list_of_a_rebase_are_told", todo_list),
        trial("git::everyday_git_goes_on", every_day),
        trial("git::no_editor_is_waited_for", editors),
        trial("git::a_submodule_is_moved_and_removed", submodules),
    ]
}

async fn harmless_settings() {
    for mounts in [true, false] {
        let project = Project::with_mounts(mounts);
        project.run("git branch topic; git config branch.topic.remote .; git config alias.l log");
        let script = "git config --local user.name b && git config user.email 'b;c' && \
                      git remote add origin https://example.org/x && git branch -d topic && \
                      git config --add remote.origin.fetch '+refs/x:refs/y' && git remote rename origin up";
        let answer = project.bash(script).await;
        assert!(!answer.is_error, "{answer:?}");
        assert!(answer.details.get("restored").is_none(), "{answer:?}");
        project.run(
            "set -e; test $(git config user.name) = b; test \"$(git config user.email)\" = 'b;c'
             test $(git remote get-url up) = https://example.org/x; ! git config branch.topic.remote
             test $(git config --get-all remote.up.fetch | wc -l) = 2; test $(git config alias.l) = log",
        );
        assert!(!project.path(".git/config.lock").exists());
        let left = fs::read_dir(project.path(".git")).unwrap();
        let is_kept = |name: &std::ffi::OsStr| name.to_string_lossy().contains("put-back");
        assert!(!left.flatten().any(|it| is_kept(&it.file_name())));
    }
}

/// Starts a command that changes a harmless setting and others, and waits until it has. Returns its id and a text
/// in the command line of one of its processes.
async fn settings_changed(project: &Project) -> (Value, String) {
    let config = project.path(".git/config");
    let before = fs::read(&config).unwrap();
    let canary = canary();
    let script = format!(
        "git config user.name b; git config core.fsmonitor x; git config core.fsmonitor; \
         printf '[alias]\\nx = !x\\n' >> .git/config; echo ready; sleep {canary}"
    );
    let input = json!({ "command": script, "background": true });
    let id = project.session.call("Bash", input).await.details["id"].clone();
    project.session.until_ready(&id).await;
    assert_eq!(fs::read(&config).unwrap(), before);
    (id, canary)
}

async fn harmless_are_taken_over(project: &Project, id: &Value) {
    let answer = ended(&project.session, id).await;
    let expected = json!([".git/config (alias.x, core.fsmonitor)"]);
    assert_eq!(answer.details["restored"], expected, "{answer:?}");
    project.run(
        "test $(git config user.name) = b; ! git config core.fsmonitor && ! git config alias.x",
    );
    let kept = fs::read_to_string(project.path(".git/config.scorel-put-back")).unwrap();
    assert!(kept.contains("fsmonitor"));
    assert!(!project.path(".git/config.lock").exists());
}

async fn supervisor_killed() {
    let project = Project::with_mounts(true);
    let (id, canary) = settings_changed(&project).await;
    let supervisor = supervisor_of(&canary);
    rustix::process::kill_process(supervisor, rustix::process::Signal::KILL).unwrap();
    harmless_are_taken_over(&project, &id).await;
}

async fn other_settings() {
    let project = Project::with_mounts(true);
    let config = project.path(".git/config");
    let (id, _) = settings_changed(&project).await;
    project.session.call("BashStop", json!({ "id": id })).await;
    harmless_are_taken_over(&project, &id).await;
    for attempt in [
        "rm -f .git/config; mv .git/config x; mv .git other; ln -sf /x .git/config",
        "rm -rf $TMPDIR/.scorel-git-*",
        "rm $TMPDIR/.scorel-git-*/config; ln -s /etc/passwd $TMPDIR/.scorel-git-*/config",
        "printf '[core' > .git/config; true",
        "printf '\\377' > .git/config; true",
        "head -c 400000 /dev/zero > .git/config; true",
        ": > .git/config",
    ] {
        let before = fs::read(&config).unwrap();
        let answer = project.bash(attempt).await;
        let now = fs::read(&config).unwrap();
        assert_eq!(now, before, "{attempt}: {answer:?}");
        project.run("git status");
    }
}

async fn changed_meanwhile() {
    let project = Project::with_mounts(true);
    let script = "git config user.name b; echo ready; until [ -e go ]; do sleep 0.01; done";
    let input = json!({ "command": script, "background": true });
    let id = project.session.call("Bash", input).await.details["id"].clone();
    project.session.until_ready(&id).await;
    project.run("git config user.email person");
    project.bash("git config user.signingkey k").await;
    fs::write(project.path("go"), "").unwrap();
    let answer = ended(&project.session, &id).await;
    assert!(answer.details.get("restored").is_none(), "{answer:?}");
    project.run(
        "set -e; test $(git config user.email) = person; test $(git config user.name) = b
         test $(git config user.signingkey) = k",
    );
}

/// The mounts on a file go with it, from running commands too.
async fn replaced() {
    let project = Project::with_mounts(true);
    fs::write(project.path(".envrc"), "a").unwrap();
    let canary = canary();
    let script = format!(
        "echo ready; until [ -e go ]; do sleep 0.01; done; git config --file .git/config core.fsmonitor MARKER
         echo evil > .envrc; touch done; sleep {canary}"
    );
    let input = json!({ "command": project.filled(&script), "background": true });
    let id = project.session.call("Bash", input).await.details["id"].clone();
    project.session.until_ready(&id).await;
    project.bash("git config user.name b").await;
    project.run("echo b > .envrc.new; mv .envrc.new .envrc; touch go; until [ -e done ]; do sleep 0.01; done");
    let text = |name: &str| fs::read_to_string(project.path(name)).unwrap();
    let all = json!({ "id": id, "sinceBytes": 0 });
    let is_told = |answer: &ToolAnswer| answer.details["restored"].to_string().contains(".git");
    while !is_told(&project.session.call("BashOutput", all.clone()).await) || text(".envrc") != "a"
    {
        tokio::task::yield_now().await;
    }
    assert!(!text(".git/config").contains("fsmonitor"));
    project.session.call("BashStop", json!({ "id": id })).await;
    let answer = ended(&project.session, &id).await;
    let expected = json!([".envrc", ".git/config (core.fsmonitor)"]);
    assert_eq!(answer.details["restored"], expected, "{answer:?}");
    project.run("test $(git config user.name) = b; git status");
}

/// `git push` would run the hooks of a repository at a path.
async fn local_remotes() {
    for mounts in [true, false] {
        let project = Project::with_mounts(mounts);
        let script = "git init -q --bare target/e.git; git config remote.o.pushurl target/e.git; git clone -q . c";
        let answer = project.bash(script).await;
        let told = answer.details["restored"].to_string();
        assert!(
            told.contains(".git/config (remote.o.pushurl)"),
            "{answer:?}"
        );
        assert!(
            told.contains("c/.git/config (branch.main.remote, remote.origin.url)"),
            "{answer:?}"
        );
        project.run(
            "git -C c status; ! git config remote.o.pushurl; ! git -C c config remote.origin.url",
        );
    }
}

/// To its owner, too: git opens what it knows the names of.
async fn unreadable() {
    for mounts in [true, false] {
        let project = Project::with_mounts(mounts);
        let script = "git init -q a; git -C a config core.fsmonitor 'touch MARKER'; chmod 311 a/.git
             mkdir h; git init -q h/b; git -C h/b config core.fsmonitor 'touch MARKER'; chmod 311 h
             for i in '' $(seq -f -%g 20); do mkdir -p .vscode/tasks.json.scorel-put-back$i/x; done; echo > .vscode/tasks.json";
        let answer = project.bash(script).await;
        assert!(
            !project.runs("git -C a status; git -C h/b status"),
            "{answer:?}"
        );
        assert!(!project.path(".vscode/tasks.json").exists(), "{answer:?}");
    }
}

async fn work_tree_removed() {
    for mounts in [true, false] {
        let project = Project::with_mounts(mounts);
        let answer = project
            .bash("git worktree add -q w1; git worktree add -q sub/w2")
            .await;
        assert!(!answer.is_error, "{answer:?}");
        project.run("git worktree add -q w3");
        let answer = project
            .bash("git worktree remove w1 && git worktree remove sub/w2 && git worktree remove w3")
            .await;
        assert!(!answer.is_error, "{answer:?}");
        assert!(answer.details.get("restored").is_none(), "{answer:?}");
        project.run("test $(git worktree list | wc -l) = 1; ! ls .git/worktrees/*");
        project.run("git worktree add -q w4");
        let script = "mkdir e; echo ../../../e > .git/worktrees/w4/commondir";
        let answer = project.bash(script).await;
        assert_eq!(
            answer.details["restored"],
            json!([".git/worktrees/w4/commondir"])
        );
        project.run("git -C w4 status");
    }
}

async fn todo_list() {
    for mounts in [true, false] {
        let project = Project::with_mounts(mounts);
        let script = "for i in 1 2 3; do echo $i > f; git add f; git commit -qm $i; done; \
                      git -c sequence.editor='sed -i 1s/pick/edit/' rebase -qi HEAD~2";
        let answer = project.bash(script).await;
        assert!(answer.details.get("restored").is_none(), "{answer:?}");
        let script = "python3 -c \"open('.git/rebase-merge/git-rebase-todo', 'a').write('x touch MARKER\\n')\"";
        let answer = project.bash(script).await;
        let told = answer.details["restored"].to_string();
        let is_told = |text: &str| text.contains("git-rebase-todo") && text.contains("touch");
        assert!(is_told(&told) && is_told(&answer.text), "{answer:?}");
        // Told once.
        let answer = project.bash("true").await;
        assert!(answer.details.get("restored").is_none(), "{answer:?}");
    }
}

/// There is no terminal for one.
async fn editors() {
    let project = Project::with_mounts(true);
    let script = "set -e; echo 1 > f; git add f; git commit -qm 1; git checkout -qb b HEAD~1; echo 2 > f; git add f
         git commit -qm 2; git rebase -q main || true; echo 3 > f; git add f; git rebase --continue
         git commit --amend; git -c sequence.editor='sed -i s/pick/drop/' rebase -i HEAD~1";
    let answer = project.bash(script).await;
    assert!(!answer.is_error, "{answer:?}");
    project.run("test $(git log --format=%s | head -1) = 1");
}

async fn every_day() {
    for mounts in [true, false] {
        let project = Project::with_mounts(mounts);
        let script = "set -e
             for i in 1 2 3; do echo $i > f; git add f; git commit -qm $i; done
             git checkout -qb topic; mkdir d; echo t > d/t; git add d; git commit -qm t; git checkout -q main
             echo m > m; git add m; git commit -qm m; git merge -q --no-edit topic; git branch -d topic
             git checkout -qb r HEAD~1; echo r > r; git add r; git commit -qm r; git rebase -q main
             echo s >> f; git stash -q; git stash pop -q; git checkout -q f; git checkout -q main
             git cherry-pick r; git bisect start HEAD HEAD~2; git bisect reset
             git worktree add -q w; git worktree remove w; git tag v; git gc -q; git fsck --no-dangling
             git init -q --bare b.git; git push -q ./b.git main:other; git remote add o https://example.org/x
             git branch -q --set-upstream-to=r; git sparse-checkout set --cone d; git sparse-checkout disable
             git config gpg.format || true";
        let answer = project.bash(script).await;
        assert!(!answer.is_error, "mounts {mounts}: {answer:?}");
        assert!(answer.details.get("unprotected").is_none(), "{answer:?}");
        assert!(answer.details.get("restored").is_none(), "{answer:?}");
        project.run("git status; test $(git remote) = o");
    }
}

/// Directories that have not changed are not listed again, and what is new below them is found.
async fn later_repositories() {
    for mounts in [true, false] {
        let project = Project::with_mounts(mounts);
        let armed = |place: &str| {
            format!("git init -q {place}; git -C {place} config core.fsmonitor 'touch MARKER'; ")
        };
        project
            .bash("mkdir -p a/b/c h/i target; echo x > a/f; chmod 311 h")
            .await;
        let is_settled = || DirectoryStamp::settled(&fs::metadata(project.path("h")).unwrap());
        while is_settled().is_none() {
            tokio::task::yield_now().await;
        }
        for (first, second, place) in [
            ("true", armed("a/b/c/n"), "a/b/c/n"),
            ("echo y > a/b/f", armed("a/b/m"), "a/b/m"),
            ("true", armed("h/k"), "h/k"),
            (
                "true",
                "mkdir x; mv a/b x/b; mv x/b a/b; ".to_owned() + &armed("a/b/c/o"),
                "a/b/c/o",
            ),
            (
                "git init -q target/t; git -C target/t config core.fsmonitor 'touch MARKER'",
                "mv target/t a/b/t".to_owned(),
                "a/b/t",
            ),
            (
                "git init -q target/l; git -C target/l commit -q --allow-empty -m l; git -C target/l config core.fsmonitor 'touch MARKER'",
                "git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),target/l"
                    .to_owned(),
                "target/l",
            ),
        ] {
            project.bash(first).await;
            let answer = project.bash(&second).await;
            assert!(
                !project.runs(&format!("git -C {place} status")),
                "{second}: {answer:?}"
            );
        }
    }
}

async fn submodules() {
    for mounts in [true, false] {
        let project = Project::with_mounts(mounts);
        for (script, after) in [
            (
                "git init -q lib; git -C lib commit -q --allow-empty -m l",
                "true",
            ),
            (
                "git -c protocol.file.allow=always submodule --quiet add ./lib sub; git commit -qm s",
                "git -C sub status",
            ),
            (
                "git mv sub moved; git commit -qm m",
                "git -C moved log && git status",
            ),
            (
                "git submodule --quiet deinit -f moved",
                "! test -e moved/.git",
            ),
            (
                "git -c protocol.file.allow=always submodule --quiet update --init",
                "git -C moved log && test -e moved/.git",
            ),
            (
                "git submodule --quiet deinit -f moved; git rm -q moved; rm -r .git/modules/sub",
                "! test -e .git/modules/sub && git status",
            ),
        ] {
            let answer = project.bash(script).await;
            assert!(!answer.is_error, "{script}: {answer:?}");
            project.run(after);
        }
        let script =
            "git -c protocol.file.allow=always submodule --quiet add ./lib s2 && git commit -qm s2";
        project.run(script);
        project
            .bash("git config -f .git/modules/s2/config core.worktree /tmp; git -C s2 status")
            .await;
        project.run("git -C s2 log && test $(git config -f .git/modules/s2/config core.worktree) = ../../../s2");
    }
}
