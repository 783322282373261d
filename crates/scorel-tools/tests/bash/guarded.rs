//! Protected files that a command could change, and that are put back.

mod ends;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use libtest_mimic::Trial;
use serde_json::json;

use crate::session::{Session, ToolAnswer};
use crate::trial;

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = vec![
        trial("guarded::a_new_hook_is_put_back", a_new_hook),
        trial("guarded::a_setting_of_git_is_put_back", a_setting_of_git),
        trial("guarded::everyday_git_commands_work", every_day),
        trial(
            "guarded::a_repository_can_be_made_and_cloned_below",
            made_below,
        ),
        trial(
            "guarded::a_repository_made_at_the_top_runs_nothing",
            made_at_the_top,
        ),
        trial(
            "guarded::a_repository_below_is_covered_with_mounts_too",
            below,
        ),
        trial(
            "guarded::files_that_did_not_exist_are_covered_too",
            did_not_exist,
        ),
        trial(
            "guarded::what_other_tools_run_is_covered_whether_it_exists_or_not",
            other_tools,
        ),
        trial("guarded::hooks_are_covered_however_deep", deep_hooks),
        trial(
            "guarded::data_moved_away_or_linked_elsewhere_is_put_back",
            moved,
        ),
        trial(
            "guarded::permissions_and_links_are_put_back",
            permissions_and_links,
        ),
        trial(
            "guarded::a_link_before_a_protected_file_is_put_back",
            link_before,
        ),
        trial(
            "guarded::a_work_tree_that_leads_elsewhere_is_covered",
            work_tree,
        ),
    ];
    trials.extend(ends::trials());
    trials
}

fn git(directory: &Path, arguments: &str) {
    let mut command = std::process::Command::new("git");
    command
        .args([
            "-c",
            "user.name=n",
            "-c",
            "user.email=e",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(arguments.split(' '))
        .current_dir(directory);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{arguments}: {output:?}");
}

/// A project with a repository, and no mounts.
fn repository() -> Session {
    let session = Session::without_mounts();
    git(&session.path("project"), "init -q .");
    git(&session.path("project"), "commit -q --allow-empty -m first");
    session
}

fn read(session: &Session, name: &str) -> String {
    fs::read_to_string(session.path("project").join(name)).unwrap()
}

fn is_there(session: &Session, name: &str) -> bool {
    session
        .path("project")
        .join(name)
        .symlink_metadata()
        .is_ok()
}

fn restored(answer: &ToolAnswer, expected: &[&str]) {
    assert_eq!(answer.details["restored"], json!(expected), "{answer:?}");
    assert!(
        answer.text.contains("protected files were changed"),
        "{answer:?}"
    );
    assert!(answer.details.get("unprotected").is_none(), "{answer:?}");
}

fn untouched(answer: &ToolAnswer) {
    assert!(answer.details.get("restored").is_none(), "{answer:?}");
    assert!(answer.details.get("unprotected").is_none(), "{answer:?}");
}

async fn a_new_hook() {
    let session = repository();
    let answer = session
        .bash("echo true > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit")
        .await;
    restored(&answer, &[".git/hooks/pre-commit"]);
    assert!(!is_there(&session, ".git/hooks/pre-commit"));
    assert_eq!(
        read(&session, ".git/hooks/pre-commit.scorel-put-back"),
        "true\n"
    );
    untouched(&session.bash("true").await);
    let answer = session.bash("echo x > .git/hooks/pre-commit").await;
    restored(&answer, &[".git/hooks/pre-commit"]);
    assert_eq!(
        read(&session, ".git/hooks/pre-commit.scorel-put-back-1"),
        "x\n"
    );
}

async fn a_setting_of_git() {
    let session = repository();
    let before = read(&session, ".git/config");
    let answer = session
        .bash("git config core.pager x && git config core.pager")
        .await;
    assert!(answer.text.starts_with("x\n["), "{answer:?}");
    restored(&answer, &[".git/config (core.pager)"]);
    assert_eq!(read(&session, ".git/config"), before);
    assert!(read(&session, ".git/config.scorel-put-back").contains("pager = x"));
    git(&session.path("project"), "status");
}

async fn every_day() {
    let session = repository();
    let command = "echo x > f; git add f; git -c user.name=n -c user.email=e commit -qm second && \
                   git checkout -q -b topic && git stash list && git tag v1 && git log --oneline | wc -l";
    let answer = session.bash(command).await;
    assert_eq!(answer.text, "2\n");
    untouched(&answer);
}

async fn made_below() {
    let session = repository();
    let answer = session
        .bash("mkdir sub && git init -q sub && git clone -q . clone && ls clone/.git/config sub/.git/config")
        .await;
    assert!(!answer.is_error, "{answer:?}");
    restored(
        &answer,
        &["clone/.git/config (branch.main.remote, remote.origin.url)"],
    );
    // From now on they are there.
    let answer = session
        .bash("git -C clone config core.pager x; echo x > sub/.git/hooks/x")
        .await;
    restored(
        &answer,
        &["clone/.git/config (core.pager)", "sub/.git/hooks/x"],
    );
    untouched(&session.bash("rm -rf sub clone").await);
    assert!(!is_there(&session, "sub"));
}

async fn made_at_the_top() {
    let session = Session::without_mounts();
    let command = "git init -q . && git remote add origin h:x && git config core.fsmonitor ./x && \
                   echo x > .git/hooks/post-checkout && echo /x > .git/commondir";
    let answer = session.bash(command).await;
    restored(
        &answer,
        &[
            ".git/commondir",
            ".git/config (core.fsmonitor)",
            ".git/hooks/post-checkout",
        ],
    );
    let config = read(&session, ".git/config");
    assert!(
        config.contains("url = h:x") && !config.contains("fsmonitor"),
        "{config}"
    );
    git(&session.path("project"), "status");
    let session = Session::without_mounts();
    untouched(&session.bash("git init -q .").await);
    let session = Session::without_mounts();
    let answer = session
        .bash("git init -q elsewhere && echo 'gitdir: elsewhere/.git' > .git")
        .await;
    restored(&answer, &[".git"]);
}

async fn below() {
    let session = Session::new();
    for name in [".", "sub/deep"] {
        fs::create_dir_all(session.path("project").join(name)).unwrap();
        git(&session.path("project").join(name), "init -q .");
    }
    fs::write(session.path("project/sub/.envrc"), "old").unwrap();
    let command = "echo x > sub/deep/.git/hooks/pre-push; rm sub/deep/.git/config; echo x > sub/.envrc; \
                   echo x >> .git/config";
    let answer = session.bash(command).await;
    restored(
        &answer,
        &[
            ".git/config (core.x)",
            "sub/.envrc",
            "sub/deep/.git/config",
            "sub/deep/.git/hooks/pre-push",
        ],
    );
    assert_eq!(read(&session, "sub/.envrc"), "old");
    git(&session.path("project/sub/deep"), "status");
}

async fn did_not_exist() {
    for session in [Session::new(), repository()] {
        let command = "echo x > .envrc; mkdir -p .scorel .config/fish; echo x > .scorel/config.toml; ln -s /x .bashrc; \
                       if [ -d .git ]; then echo x > .git/commondir; fi; echo x > ordinary";
        let answer = session.bash(command).await;
        let paths = answer.details["restored"].as_array().unwrap();
        for name in [".envrc", ".scorel", ".bashrc", ".config/fish"] {
            assert!(paths.contains(&json!(name)), "{answer:?}");
            assert!(!is_there(&session, name), "{name}");
        }
        assert!(!is_there(&session, ".git/commondir"));
        assert!(is_there(&session, "ordinary") && is_there(&session, ".envrc.scorel-put-back"));
    }
}

/// Files that editors, builds, debuggers and other agents run or obey.
const OF_TOOLS: [&str; 12] = [
    ".cargo/config",
    ".cargo/config.toml",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".devcontainer/devcontainer.json",
    ".envrc",
    ".exrc",
    ".gdbinit",
    ".husky/pre-commit",
    ".mcp.json",
    ".vscode/launch.json",
    ".vscode/tasks.json",
];

async fn other_tools() {
    let change = |names: &[&str]| -> String {
        let change = |name: &&str| format!("mkdir -p $(dirname {name}); echo x > {name}; ");
        names.iter().map(change).collect()
    };
    for session in [Session::new(), Session::without_mounts()] {
        // Absent ones are removed again, directories with their content.
        let answer = session.bash(&change(&OF_TOOLS)).await;
        for name in OF_TOOLS {
            assert!(!is_there(&session, name), "{name}: {answer:?}");
        }
        assert!(answer.details.get("unprotected").is_none(), "{answer:?}");
        for name in OF_TOOLS {
            for name in [name.to_owned(), format!("sub/{name}")] {
                let path = session.path("project").join(&name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, "old").unwrap();
            }
        }
        let command = change(&OF_TOOLS)
            + "cd sub; "
            + &change(&OF_TOOLS)
            + "rm -rf .vscode ../.husky .claude; ln -s /tmp .claude; true";
        let answer = session.bash(&command).await;
        for name in OF_TOOLS {
            assert_eq!(read(&session, name), "old", "{name}: {answer:?}");
            let below = format!("sub/{name}");
            assert_eq!(read(&session, &below), "old", "{below}: {answer:?}");
        }
        assert!(answer.details.get("unprotected").is_none(), "{answer:?}");
        // Other files beside them are not protected.
        let command = "echo x > .vscode/settings.json; echo x > .claude/note.md";
        let answer = session.bash(command).await;
        untouched(&answer);
        assert!(
            is_there(&session, ".vscode/settings.json") && is_there(&session, ".claude/note.md")
        );
    }
}

async fn deep_hooks() {
    for session in [Session::new(), Session::without_mounts()] {
        let deep = "d/".repeat(30);
        let below = session.path("project").join(&deep);
        fs::create_dir_all(&below).unwrap();
        git(&below, "init -q .");
        let answer = session
            .bash(&format!(
                "echo x > {deep}.git/hooks/pre-commit; echo x >> {deep}.git/config"
            ))
            .await;
        let expected =
            ["config (core.x)", "hooks/pre-commit"].map(|name| format!("{deep}.git/{name}"));
        assert_eq!(answer.details["restored"], json!(expected), "{answer:?}");
        assert!(!is_there(&session, &format!("{deep}.git/hooks/pre-commit")));
    }
}

async fn moved() {
    let session = repository();
    let before = read(&session, ".git/config");
    let command = "mv .git other; mkdir -p evil/hooks; echo x > evil/config; ln -s evil .git";
    let answer = session.bash(command).await;
    restored(&answer, &[".git", ".git/config", ".git/hooks"]);
    assert_eq!(read(&session, ".git/config"), before);
    assert!(!session.path("project/.git").is_symlink());
    assert!(!is_there(&session, ".git/hooks/x"));
    let answer = session
        .bash("rm -rf .git/hooks; ln -s ../evil/hooks .git/hooks")
        .await;
    restored(&answer, &[".git/hooks"]);
    assert!(!session.path("project/.git/hooks").is_symlink());
}

async fn permissions_and_links() {
    let session = repository();
    let hook = session.path("project/.git/hooks/pre-commit");
    fs::write(&hook, "old").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o644)).unwrap();
    std::os::unix::fs::symlink("../../a", session.path("project/.git/hooks/post-commit")).unwrap();
    let command = "chmod 755 .git/hooks/pre-commit; ln -sf ../../b .git/hooks/post-commit; \
                   ln .git/config hard && echo x >> hard";
    let answer = session.bash(command).await;
    restored(
        &answer,
        &[
            ".git/config (core.x)",
            ".git/hooks/post-commit",
            ".git/hooks/pre-commit",
        ],
    );
    assert_eq!(
        fs::metadata(&hook).unwrap().permissions().mode() & 0o777,
        0o644
    );
    let link = fs::read_link(session.path("project/.git/hooks/post-commit")).unwrap();
    assert_eq!(link, Path::new("../../a"));
    assert!(!read(&session, ".git/config").contains('x'));
}

async fn link_before() {
    for session in [Session::new(), Session::without_mounts()] {
        let project = session.path("project");
        fs::create_dir_all(project.join("conf/claude")).unwrap();
        fs::write(project.join("conf/claude/settings.json"), "old").unwrap();
        std::os::unix::fs::symlink("conf/claude", project.join(".claude")).unwrap();
        let command = "rm .claude; mkdir .claude; echo x > .claude/settings.json; \
                       echo x > conf/claude/note.md";
        let answer = session.bash(command).await;
        let link = fs::read_link(project.join(".claude")).unwrap();
        assert_eq!(link, Path::new("conf/claude"), "{answer:?}");
        assert_eq!(read(&session, ".claude/settings.json"), "old", "{answer:?}");
        assert!(is_there(&session, "conf/claude/note.md"), "{answer:?}");
    }
}

async fn work_tree() {
    let session = repository();
    git(&session.path("project"), "worktree add -q tree");
    let before = read(&session, "tree/.git");
    let command = "git init -q evil; echo 'gitdir: ../evil/.git' > tree/.git; \
                   echo ../../../evil > .git/worktrees/tree/commondir";
    let answer = session.bash(command).await;
    restored(&answer, &[".git/worktrees/tree/commondir", "tree/.git"]);
    assert_eq!(read(&session, "tree/.git"), before);
    git(&session.path("project/tree"), "status");
}
