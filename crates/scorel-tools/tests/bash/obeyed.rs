//! Files that programs outside of the sandbox obey after a command. The real git is run there, and a payload
//! that it ran has made a file.

mod made;
mod running;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use libtest_mimic::Trial;

use crate::session::{Session, ToolAnswer};
use crate::trial;

pub(crate) use running::ended;

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = vec![
        trial("obeyed::no_link_leads_to_a_protected_file", links),
        trial("obeyed::a_link_of_a_person_is_kept", links_of_people),
        trial(
            "obeyed::a_link_that_a_command_made_is_not_put_back",
            links_of_commands,
        ),
        trial("obeyed::what_the_configuration_names_is_as_before", named),
        trial(
            "obeyed::what_the_configuration_names_is_not_made",
            named_absent,
        ),
    ];
    trials.push(made::trial());
    trials.extend(running::trials());
    trials
}

/// A project with a repository, and the file that a payload makes.
pub(crate) struct Project {
    pub(crate) session: Session,
    marker: PathBuf,
}

impl Project {
    pub(crate) fn with_mounts(mounts: bool) -> Self {
        let session = match mounts {
            true => Session::new(),
            false => Session::without_mounts(),
        };
        let marker = session.path("marker");
        let project = Self { session, marker };
        project.run("git init -q -b main . && git commit -q --allow-empty -m first");
        project
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.session.path("project").join(name)
    }

    /// Runs a script outside of the sandbox, as a person would. `PAYLOAD` in it is a script that makes the
    /// marker.
    pub(crate) fn attempt(&self, script: &str) -> Output {
        let mut command = Command::new("bash");
        command
            .args(["-c", &self.filled(script)])
            .current_dir(self.path(""))
            .stdin(Stdio::null())
            .env("HOME", self.session.path("home"))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_TERMINAL_PROMPT", "0");
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "n");
            command.env(format!("GIT_{role}_EMAIL"), "e");
        }
        command.output().unwrap()
    }

    pub(crate) fn run(&self, script: &str) {
        let output = self.attempt(script);
        assert!(output.status.success(), "{script}: {output:?}");
    }

    pub(crate) async fn bash(&self, script: &str) -> ToolAnswer {
        let identity = "export GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=e GIT_COMMITTER_NAME=n \
                        GIT_COMMITTER_EMAIL=e; ";
        self.session
            .bash(&(identity.to_owned() + &self.filled(script)))
            .await
    }

    pub(crate) fn filled(&self, script: &str) -> String {
        let payload = format!("#!/bin/sh\\ntouch {}\\n", self.marker.display());
        let script = script.replace("PAYLOAD", &payload);
        script.replace("MARKER", self.marker.to_str().unwrap())
    }

    fn ran_nothing(&self, after: &str) {
        let ran = fs::remove_file(&self.marker).is_ok();
        assert!(!ran, "{after}: the payload ran");
    }

    /// Returns whether the marker is made when `script` is run.
    pub(crate) fn runs(&self, script: &str) -> bool {
        self.attempt(script);
        fs::remove_file(&self.marker).is_ok()
    }
}

/// Protected files in directories that are absent, each in one of its own.
const IN_DIRECTORIES: [&str; 6] = [
    ".cargo/config.toml",
    ".vscode/tasks.json",
    ".claude/settings.json",
    ".config/fish",
    ".zed/settings.json",
    ".cursor/mcp.json",
];

/// Ways to make a protected path lead somewhere; `D` is its directory and `F` its name.
const SHAPES: [&str; 20] = [
    "mkdir eD; echo x > eD/F; ln -s eD D",
    "mkdir eD; ln -s eD D; echo x > eD/F",
    "mkdir eD; echo x > eD/F; ln -s eD lD; ln -s lD D",
    "mkdir eD; echo x > eD/F; ln -s $PWD/eD D",
    "mkdir eD; echo x > eD/F; ln -s ../project/eD D",
    "mkdir -p eD/a; echo x > eD/F; ln -s ./eD/a/.. D",
    "mkdir D; echo x > D/F; mv D vD; ln -s vD D",
    "mkdir D; echo x > D/other; mv D vD; echo x > vD/F; ln -s vD D",
    "mkdir $TMPDIR/eD; echo x > $TMPDIR/eD/F; ln -s $TMPDIR/eD D",
    "mkdir -p eD; echo x > eD/F; python3 -c 'import os; os.symlink(\"eD\", \"D\")'",
    "mkdir -p eD; echo x > eD/F; ln -s eD lD; mv lD D",
    "mkdir -p eD; echo x > eD/F; ln -s eD lD; cp -a lD D",
    "mkdir -p eD; echo x > eD/F; ln -s eD D; tar cf t D; rm D; tar xf t",
    "mkdir -p eD; echo x > eD/g; ln -s g eD/F; ln -s eD D",
    "mkdir -p eD; echo x > eD/F; ln -s /proc/self/cwd/eD D",
    "mkdir -p eD; echo x > eD/F; ln -s ///$PWD//./eD D",
    "mkdir D; echo x > eD; ln eD D/F",
    "mkdir D; echo x > eD; ln -s ../eD D/F",
    "mkdir -p eD/F; echo x > eD/F/x; ln -s eD D",
    "mkdir D; mkfifo D/F",
];

async fn links() {
    for mounts in [true, false] {
        let project = Project::with_mounts(mounts);
        for shape in SHAPES {
            // `$PWD` and `$TMPDIR` are not meant.
            let each = |path: &str| {
                let (directory, name) = path.split_once('/').unwrap();
                let words = shape.replace("$PWD", "\u{1}").replace("$TMPDIR", "\u{2}");
                let words = words.replace('D', directory).replace('F', name);
                words.replace('\u{1}', "$PWD").replace('\u{2}', "$TMPDIR")
            };
            let script: Vec<String> = IN_DIRECTORIES.iter().map(|path| each(path)).collect();
            let answer = project.bash(&script.join("\n")).await;
            for path in IN_DIRECTORIES {
                let there = project.path(path).symlink_metadata().is_ok();
                assert!(!there, "mounts {mounts}: {shape}: {path}: {answer:?}");
            }
            assert!(answer.details["restored"].is_array(), "{shape}: {answer:?}");
            assert!(answer.details.get("unprotected").is_none(), "{answer:?}");
            project.run("rm -rf .cargo* .vscode* .claude* .config* .zed* .cursor* e.* v.* l.* t");
            project.attempt("rm -rf $TMPDIR/scorel-tmp-*/e.*");
        }
        // In two steps: neither the link nor the file is new to one command.
        project.bash("mkdir eX; ln -s eX .cargo").await;
        assert!(project.path(".cargo").is_symlink());
        project.bash("echo x > eX/config.toml").await;
        assert!(!project.path(".cargo/config.toml").exists());
    }
}

async fn links_of_people() {
    for mounts in [true, false] {
        let project = Project::with_mounts(mounts);
        project.run("mkdir -p conf/claude conf/vscode; echo old > conf/claude/settings.json");
        symlink("conf/claude", project.path(".claude")).unwrap();
        symlink("conf/vscode", project.path(".vscode")).unwrap();
        fs::write(project.path("envrc"), "old\n").unwrap();
        symlink("envrc", project.path(".envrc")).unwrap();
        let read = |name: &str| fs::read_to_string(project.path(name)).unwrap();
        let script = "echo x > conf/claude/settings.json; echo x > conf/vscode/tasks.json; echo x > envrc; \
                      echo x > conf/vscode/settings.json; rm .vscode; ln -s conf/vscode .vscode";
        let answer = project.bash(script).await;
        assert_eq!(read(".claude/settings.json"), "old\n", "{answer:?}");
        assert_eq!(read(".envrc"), "old\n", "{answer:?}");
        assert!(project.path(".vscode").is_symlink(), "{answer:?}");
        assert!(
            !project.path("conf/vscode/tasks.json").exists(),
            "{answer:?}"
        );
        assert!(project.path(".vscode/settings.json").exists(), "{answer:?}");
        let script = "rm .claude; mkdir -p evil; echo x > evil/settings.json; ln -s evil .claude";
        let answer = project.bash(script).await;
        assert_eq!(read(".claude/settings.json"), "old\n", "{answer:?}");
        let link = fs::read_link(project.path(".claude")).unwrap();
        assert_eq!(link, Path::new("conf/claude"), "{answer:?}");
    }
}

async fn links_of_commands() {
    for mounts in [true, false] {
        let project = Project::with_mounts(mounts);
        project.bash("mkdir evil; ln -s evil .cargo").await;
        let answer = project.bash("rm .cargo").await;
        assert!(answer.details.get("restored").is_none(), "{answer:?}");
        assert!(!project.path(".cargo").is_symlink(), "{answer:?}");
    }
}

/// Settings that name something in the project, the file that they name, and what a person then runs.
const NAMED: [(&str, &str, &str); 17] = [
    (
        "core.hooksPath=.githooks",
        ".githooks/pre-commit",
        "git commit --allow-empty -m x",
    ),
    (
        "core.hooksPath=./hooks/git",
        "hooks/git/pre-commit",
        "git commit --allow-empty -m x",
    ),
    ("core.fsmonitor=./tools/watch", "tools/watch", "git status"),
    ("core.fsmonitor=sh tools/watch", "tools/watch", "git status"),
    (
        "core.sshCommand=./ssh",
        "ssh",
        "git fetch ssh://localhost/x",
    ),
    ("core.editor=./edit", "edit", "git commit --allow-empty"),
    (
        "sequence.editor=./seq",
        "seq",
        "git commit -q --allow-empty -m 2; git rebase -i HEAD~1; git rebase --abort",
    ),
    (
        "gpg.program=./gpg",
        "gpg",
        "git commit -S --allow-empty -m x",
    ),
    (
        "filter.x.clean=./clean %f",
        "clean",
        "echo '*.x filter=x' > .gitattributes; echo 1 > a.x; git add a.x",
    ),
    (
        "filter.x.smudge=sh ./smudge",
        "smudge",
        "echo '*.x filter=x' > .gitattributes; echo 1 > b.x; git add b.x; rm b.x; git checkout b.x",
    ),
    (
        "filter.x.process=./process",
        "process",
        "echo '*.x filter=x' > .gitattributes; echo 1 > c.x; git add c.x",
    ),
    (
        "diff.external=./diff",
        "diff",
        "echo 1 > d; git add -N d; git diff",
    ),
    (
        "diff.x.textconv=./conv",
        "conv",
        "echo '*.y diff=x' > .gitattributes; echo 1 > e.y; git add -N e.y; git diff",
    ),
    (
        "diff.x.command=./cmd",
        "cmd",
        "echo '*.y diff=x' > .gitattributes; echo 1 > e.y; git add -N e.y; git diff",
    ),
    (
        "merge.x.driver=./merge %O %A %B",
        "merge",
        "echo '*.m merge=x' > .gitattributes; echo 0 > m.m; git add m.m .gitattributes; git commit -qm 0; git checkout -qb b; echo 1 > m.m; git commit -qam 1; git checkout -q main; echo 2 > m.m; git commit -qam 2; git merge b",
    ),
    (
        "credential.helper=!./helper",
        "helper",
        "printf 'protocol=https\\nhost=x\\n' | git credential fill",
    ),
    ("alias.x=!./alias", "alias", "git x"),
];

fn configured(setting: &str, mounts: bool) -> Project {
    let project = Project::with_mounts(mounts);
    let (name, value) = setting.split_once('=').unwrap();
    project.run(&format!("git config {name} '{value}'"));
    project
}

fn put(project: &Project, file: &str, content: &str) {
    let path = project.path(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, content).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

async fn named() {
    for (row, (setting, file, use_it)) in NAMED.into_iter().enumerate() {
        let project = configured(setting, row % 3 != 0);
        put(
            &project,
            file,
            &project.filled("PAYLOAD").replace("\\n", "\n"),
        );
        assert!(
            project.runs(use_it),
            "{setting}: git does not run it at all"
        );
        project.attempt(&format!("git reset -q --hard; git clean -qfdx -e {file}"));
        put(&project, file, "#!/bin/sh\nexit 0\n");
        let _ignored = fs::remove_file(&project.marker);
        let script = format!(
            "python3 -c \"p='{file}'; open(p, 'w').write('PAYLOAD')\"; mv {file} gone; printf 'PAYLOAD' > new; \
             chmod +x new; mv new {file}; rm -f {file}; cp gone {file}; chmod +x {file}"
        );
        let answer = project.bash(&script).await;
        assert!(!project.runs(use_it), "{setting}: {answer:?}");
    }
    // Included files, and files of attributes.
    for (setting, file) in [
        ("include.path=../team.gitconfig", "team.gitconfig"),
        (
            "includeIf.gitdir:**.path=../team.gitconfig",
            "team.gitconfig",
        ),
        ("core.attributesFile=attributes", "attributes"),
        ("core.excludesFile=./ignored", "ignored"),
    ] {
        for mounts in [true, false] {
            let project = configured(setting, mounts);
            put(&project, file, "# text\n");
            let script = format!("printf '[core]\\nfsmonitor = touch MARKER;true\\n' >> {file}");
            let answer = project.bash(&script).await;
            project.attempt("git status");
            project.ran_nothing(setting);
            let now = fs::read_to_string(project.path(file)).unwrap();
            assert_eq!(now, "# text\n", "{setting}: {answer:?}");
        }
    }
    let project = Project::with_mounts(true);
    put(&project, "scripts/hook", "#!/bin/sh\n");
    symlink("../../scripts/hook", project.path(".git/hooks/pre-commit")).unwrap();
    project.bash("printf 'PAYLOAD' > scripts/hook").await;
    assert!(!project.runs("git commit --allow-empty -m x"));
}

async fn named_absent() {
    for (row, (setting, file, use_it)) in NAMED.into_iter().enumerate() {
        let is_path = setting.contains('/') && !setting.contains("sh tools");
        if !is_path {
            continue;
        }
        let project = configured(setting, row % 2 == 0);
        let script = format!(
            "mkdir -p $(dirname {file}) evil; printf 'PAYLOAD' > evil/x; chmod +x evil/x; cp evil/x {file}"
        );
        let answer = project.bash(&script).await;
        assert!(!project.runs(use_it), "{setting}: {answer:?}");
        assert!(
            answer.details["restored"].is_array(),
            "{setting}: {answer:?}"
        );
    }
    let project = configured("core.hooksPath=.githooks", true);
    let script = "mkdir evil; printf 'PAYLOAD' > evil/pre-commit; chmod +x evil/pre-commit; ln -s evil .githooks";
    project.bash(script).await;
    assert!(!project.runs("git commit --allow-empty -m x"));
}
