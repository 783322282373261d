mod beyond;
mod channels;
mod hidden;
mod outside;
mod workspace;

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use scorel_config::{BuiltinRule, RuleSet};
use scorel_engine::{
    BlobSink, CommandAccess, Effect, Gatekeeper as _, ToolCall, ToolContext, ToolList, Verdict,
};
use scorel_permission::protected::is_protected;
use scorel_permission::{BaseDirs, DaemonHome, Decision, Mode, Policy, Rules};
use scorel_proto::{BlobHash, Block};
use scorel_tools::{ProjectTools, ToolHost};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{CommandPlace, Gate, GateSettings};

#[derive(Debug)]
struct NoPictures;

impl BlobSink for NoPictures {
    fn store(&self, _: &[u8]) -> io::Result<BlobHash> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// A project with something to keep back, and a gate that does.
struct GateFixture {
    dir: tempfile::TempDir,
    tools: ToolList,
    gate: Gate,
}

impl GateFixture {
    fn new(deny: &[&str], ask: &[&str]) -> Self {
        Self::with(deny, ask, |_| {})
    }

    /// A gate whose settings were changed.
    fn with(deny: &[&str], ask: &[&str], change: impl FnOnce(&mut GateSettings)) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let project = dir.path().canonicalize().unwrap();
        for path in ["open/text", "notes/text", "secrets/key"] {
            let path = project.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "needle\n").unwrap();
        }
        symlink("secrets/key", project.join("link")).unwrap();
        symlink("secrets", project.join("directory")).unwrap();
        let home = Path::new("/nonexistent");
        let host = ToolHost::new(home, Arc::new(NoPictures));
        let tools = ProjectTools::new(&project, host).unwrap();
        let rules = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
        let mut settings = GateSettings {
            mode: Mode::Full,
            rules: RuleSet {
                deny: rules(deny),
                ask: rules(ask),
                allow: Vec::new(),
                builtin_ask: BuiltinRule::all(),
            },
            base_dirs: BaseDirs::new(&project, home, home),
            timeout: None,
            allow_at_timeout: false,
            commands: CommandPlace::Sandbox,
            hides_denied: true,
            channel: None,
        };
        change(&mut settings);
        Self {
            gate: Gate::new(settings),
            tools: ToolList::new(tools.list()).unwrap(),
            dir,
        }
    }

    /// The verdict on a command in the project's directory.
    async fn command(&self, command: &str, network: bool) -> Verdict {
        let effect = Effect::RunCommand {
            command: command.to_owned(),
            directory: self.dir.path().canonicalize().unwrap(),
            network,
        };
        self.gate.judge(&[effect], None).await
    }

    /// What a call shows once all that is asked about it is allowed; nothing if it is refused.
    async fn shown(&self, name: &str, input: Value) -> Option<String> {
        let call = ToolCall {
            id: "call_1".to_owned(),
            name: name.to_owned(),
            input,
            invalid_input: None,
        };
        let plan = self.tools.plan(call).await;
        let permit = match self.gate.judge(plan.effects(), None).await {
            Verdict::Refuse(_) => return None,
            Verdict::Allow(permit) | Verdict::Ask { permit, .. } => permit,
        };
        let context = ToolContext {
            updates: watch::Sender::new(None),
            cancel: CancellationToken::new(),
        };
        match plan.run(permit, context).await.content.as_slice() {
            [Block::Text { text, .. }] => Some(text.clone()),
            other => panic!("a text expected: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_search_of_the_whole_project_shows_nothing_that_a_rule_denies_or_asks_about() {
    let stand = GateFixture::new(&["Read(secrets/**)"], &["Read(notes/**)"]);
    let grep = stand.shown("Grep", json!({ "pattern": "needle" })).await;
    let note = "[2 files left out by permission rules.]\n";
    assert_eq!(grep.unwrap(), format!("open/text:1:needle\n{note}"));
    let glob = stand.shown("Glob", json!({ "pattern": "*/*" })).await;
    assert_eq!(glob.unwrap(), format!("open/text\n{note}"));
    for pattern in ["secrets/*", "directory/*"] {
        let glob = stand.shown("Glob", json!({ "pattern": pattern })).await;
        assert!(!glob.unwrap().contains("key"), "{pattern}");
    }
}

#[tokio::test]
async fn allowed_files_are_shown_and_denied_files_are_not() {
    let stand = GateFixture::new(&["Read(notes/private)"], &["Read(notes/**)"]);
    let grep = || stand.shown("Grep", json!({ "pattern": "needle", "path": "notes" }));
    assert_eq!(grep().await.unwrap(), "notes/text:1:needle\n");
    let stand = GateFixture::new(&["Read(notes/t*)"], &["Read(notes)"]);
    let grep = stand.shown("Grep", json!({ "pattern": "needle", "path": "notes" }));
    let shown = grep.await.unwrap();
    assert!(shown.contains("1 file left out"), "{shown}");
    assert!(!shown.contains("text"), "{shown}");
}

#[tokio::test]
async fn a_link_is_judged_as_what_it_leads_to() {
    let stand = GateFixture::new(&["Read(secrets/**)"], &[]);
    for path in [
        "secrets/key",
        "link",
        "directory/key",
        "./open/../directory/key",
        "@project/link",
    ] {
        let read = stand.shown("Read", json!({ "path": path })).await;
        assert_eq!(read, None, "{path}");
        let grep = json!({ "pattern": "needle", "path": path });
        assert_eq!(stand.shown("Grep", grep).await, None, "{path}");
    }
    assert!(
        stand
            .shown("Read", json!({ "path": "open/text" }))
            .await
            .is_some()
    );
}

#[test]
fn the_engine_and_the_tools_protect_the_same_files() {
    let home = Path::new("/srv/scorel");
    let place = BaseDirs::new(Path::new("/p"), Path::new("/home/u"), home);
    let policy = Policy::new(Mode::Full, Rules::default(), place);
    for path in [
        "/p/.git/hooks/pre-commit",
        "/p/.GIT/config",
        "/p/sub/.git",
        "/p/.gitconfig",
        "/home/u/.config/git/config",
        "/p/.scorel/config.toml",
        "/srv/scorel/config.toml",
        "/home/u/.ssh/authorized_keys",
        "/p/.envrc",
        "/home/u/.bashrc",
        "/home/u/.zshenv",
        "/home/u/.profile",
        "/home/u/.config/systemd/user/x.service",
        "/home/u/.config/fish/config.fish",
        "/home/u/Library/LaunchAgents/x.plist",
        "/p/.gitignore",
        "/p/.gitconfig/x",
        "/p/src/main.rs",
        "/srv/scorelx",
        "/p/.config/other/config",
        "/p/.bashrc/x",
        "/p/.claude/settings.local.json",
        "/p/.mcp.json",
        "/p/.husky/pre-commit",
        "/p/.vscode/tasks.json",
        "/p/.vscode/settings.json",
        "/p/.cargo/config.toml",
        "/p/a/b/c/d/.git/hooks/x",
    ] {
        let path = Path::new(path);
        let write = Effect::WritePath {
            path: path.into(),
            named: String::new(),
            protection: None,
        };
        let is_asked = policy.judge(&write).decision == Decision::Ask;
        let protection = is_protected(path, &DaemonHome::closed(home));
        assert_eq!(is_asked, protection.is_some(), "{}", path.display());
    }
}

/// A stand in the mode `ask`.
fn asking(allow: &[&str], sandbox: bool) -> GateFixture {
    in_mode(Mode::Ask, allow, sandbox)
}

fn in_mode(mode: Mode, allow: &[&str], sandbox: bool) -> GateFixture {
    GateFixture::with(&[], &[], |settings| {
        settings.mode = mode;
        settings.rules.allow = allow.iter().map(|text| text.parse().unwrap()).collect();
        if !sandbox {
            settings.commands = CommandPlace::Unsandboxed;
        }
    })
}

fn rules(verdict: Verdict) -> Option<Vec<String>> {
    match verdict {
        Verdict::Ask { question, .. } => Some(question.rules),
        _ => None,
    }
}

/// What an allowed command may do; nothing if it is not allowed.
fn access(verdict: Verdict) -> Option<CommandAccess> {
    match verdict {
        Verdict::Allow(permit) => Some(permit.command),
        _ => None,
    }
}

#[tokio::test]
async fn the_network_needs_a_rule_or_an_answer_of_its_own() {
    let stand = asking(&["Bash(cargo *)"], true);
    let workspace_access = |network| Some(CommandAccess::Workspace { network });
    let offline = stand.command("cargo fetch", false).await;
    assert_eq!(access(offline), workspace_access(false));
    let asked = rules(stand.command("cargo fetch", true).await);
    assert_eq!(asked.unwrap(), ["Network(cargo fetch *)"]);
    stand.gate.allow(&["Network(cargo fetch *)".to_owned()]);
    let online = stand.command("cargo fetch", true).await;
    assert_eq!(access(online), workspace_access(true));
    let stand = asking(&["Network(cargo *)"], true);
    let asked = rules(stand.command("cargo fetch", true).await);
    assert_eq!(
        asked.unwrap(),
        ["Bash(cargo fetch *)"],
        "one is not the other"
    );
}

#[tokio::test]
async fn without_a_sandbox_every_command_is_asked_about_each_time() {
    let stand = asking(&["Bash"], false);
    for command in ["ls", "cargo build"] {
        let asked = rules(stand.command(command, false).await);
        assert_eq!(asked.unwrap(), Vec::<String>::new(), "{command}");
    }
}

#[tokio::test]
async fn every_effect_of_a_call_is_judged() {
    let stand = asking(&["Bash(make)"], true);
    let directory = stand.dir.path().canonicalize().unwrap();
    let effects = [
        Effect::ReadPath {
            path: directory.join("open/text"),
        },
        Effect::RunCommand {
            command: "make".to_owned(),
            directory: directory.clone(),
            network: false,
        },
        Effect::ReadPath {
            path: "/etc/hosts".into(),
        },
        Effect::CallOutside {
            tool: "mcp__build__status".to_owned(),
            also: Vec::new(),
            input: Value::Null,
            digest: None,
            reads_only: false,
        },
    ];
    assert!(matches!(
        stand.gate.judge(&[], None).await,
        Verdict::Allow(_)
    ));
    assert!(matches!(
        stand.gate.judge(&effects[..2], None).await,
        Verdict::Allow(_)
    ));
    let asked = rules(stand.gate.judge(&effects, None).await);
    let expected = ["Read(/etc/hosts)", "Tool(mcp__build__status)"];
    assert_eq!(asked.unwrap(), expected);
    let untold = Effect::CallUntold {
        tool: "execute".to_owned(),
    };
    let asked = rules(stand.gate.judge(&[effects[2].clone(), untold], None).await);
    assert_eq!(asked.unwrap(), [""; 0], "a rule would allow more than this");
    let unresolved = Effect::Unresolved {
        reason: "it leads nowhere".to_owned(),
    };
    let verdict = stand
        .gate
        .judge(&[effects[0].clone(), unresolved], None)
        .await;
    assert!(
        matches!(&verdict, Verdict::Refuse(text) if text == "not run: it leads nowhere"),
        "{verdict:?}"
    );
}

#[tokio::test]
async fn what_hooks_want_asked_about_is_asked_in_every_mode_and_never_overrules_a_refusal() {
    for mode in [Mode::Readonly, Mode::Ask, Mode::Full] {
        let stand = in_mode(mode, &["Read"], true);
        let path = stand.dir.path().canonicalize().unwrap().join("open/text");
        let read = [Effect::ReadPath { path }];
        assert!(matches!(
            stand.gate.judge(&read, None).await,
            Verdict::Allow(_)
        ));
        let wanted = Some("guard: it is late");
        match stand.gate.judge(&read, wanted).await {
            Verdict::Ask { question, .. } => {
                assert_eq!(question.reason, "guard: it is late");
                assert!(
                    question.rules.is_empty(),
                    "no rule answers a hook: {question:?}"
                );
            }
            verdict => panic!("{verdict:?}"),
        }
        let reason = "it leads nowhere".to_owned();
        let refused = stand
            .gate
            .judge(&[Effect::Unresolved { reason }], wanted)
            .await;
        assert!(matches!(refused, Verdict::Refuse(_)), "{refused:?}");
    }
}
