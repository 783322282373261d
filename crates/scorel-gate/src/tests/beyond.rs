//! Effects beyond the project and the sandbox: asked about, and then allowed as far as they were judged.

use std::fs;

use scorel_engine::{CommandAccess, Effect, Gatekeeper as _, Permit, Verdict};
use scorel_permission::Mode;
use serde_json::json;

use super::{GateFixture, access, asking, rules};

impl GateFixture {
    /// A gate in a mode with rules that allow.
    fn allowing(mode: Mode, allow: &[&str]) -> Self {
        Self::with(&[], &[], |settings| {
            settings.mode = mode;
            settings.rules.allow = allow.iter().map(|text| text.parse().unwrap()).collect();
        })
    }

    /// The verdict on a command that asks to run outside the sandbox.
    async fn unsandboxed(&self, command: &str, reason: &str) -> Verdict {
        let effect = Effect::RunUnsandboxed {
            command: command.to_owned(),
            directory: self.dir.path().canonicalize().unwrap(),
            reason: reason.to_owned(),
        };
        self.gate.judge(&[effect], None).await
    }

    async fn fetch(&self, url: &str, is_private: bool) -> Verdict {
        let url = url.to_owned();
        self.gate
            .judge(&[Effect::FetchUrl { url, is_private }], None)
            .await
    }
}

fn asked(verdict: Verdict) -> (String, Vec<String>, Permit) {
    match verdict {
        Verdict::Ask { question, permit } => (question.reason, question.rules, permit),
        other => panic!("a question expected: {other:?}"),
    }
}

#[tokio::test]
async fn a_command_outside_the_sandbox_is_asked_about_with_its_reason() {
    let stand = asking(&["Bash(docker *)"], true);
    let verdict = stand
        .unsandboxed("docker ps", "it speaks\n to \"docker\"\u{1b}")
        .await;
    let (reason, rules, permit) = asked(verdict);
    assert!(reason.contains("outside the sandbox"), "{reason}");
    let stated = r#"(stated reason: "it speaks to \"docker\"⟨1b⟩")"#;
    assert!(reason.contains(stated), "{reason}");
    assert_eq!(rules, ["Outside(docker ps)"]);
    assert_eq!(permit.command, CommandAccess::Full);
    // The same command in the sandbox is another question.
    let sandboxed = Some(CommandAccess::Workspace { network: false });
    assert_eq!(access(stand.command("docker ps", false).await), sandboxed);
}

#[tokio::test]
async fn a_rule_of_its_own_allows_it_and_readonly_denies_it() {
    let rule = ["Outside(docker *)"];
    let stand = GateFixture::allowing(Mode::Ask, &rule);
    let full = Some(CommandAccess::Full);
    assert_eq!(access(stand.unsandboxed("docker ps", "x").await), full);
    assert!(rules(stand.unsandboxed("docker ps; ls", "x").await).is_some());
    let stand = GateFixture::allowing(Mode::Readonly, &rule);
    assert!(rules(stand.command("docker ps", false).await).is_some());
    let verdict = stand.unsandboxed("docker ps", "x").await;
    assert!(matches!(verdict, Verdict::Refuse(_)), "{verdict:?}");
    let stand = GateFixture::allowing(Mode::Full, &[]);
    assert_eq!(access(stand.unsandboxed("docker ps", "x").await), full);
    let asked = rules(stand.unsandboxed("sudo docker ps", "x").await);
    assert_eq!(asked.unwrap(), [""; 0]);
}

#[tokio::test]
async fn a_rule_that_denies_the_network_denies_it_outside_the_sandbox_too() {
    for (deny, is_refused) in [("Network", true), ("Network(curl *)", false)] {
        let stand = GateFixture::with(&[deny], &[], |settings| {
            settings.mode = Mode::Workspace;
            settings.rules.allow = vec!["Outside(docker *)".parse().unwrap()];
        });
        let verdict = stand.unsandboxed("docker pull x", "x").await;
        let refused = matches!(verdict, Verdict::Refuse(_));
        assert_eq!(refused, is_refused, "{deny}: {verdict:?}");
    }
}

#[tokio::test]
async fn an_answer_for_the_session_lasts() {
    let stand = asking(&[], true);
    let (_, rules, _) = asked(stand.unsandboxed("gh pr list", "x").await);
    stand.gate.allow(&rules);
    let full = Some(CommandAccess::Full);
    assert_eq!(access(stand.unsandboxed("gh pr list", "y").await), full);
    let _other = asked(stand.unsandboxed("gh pr close 1", "x").await);
}

#[tokio::test]
async fn a_permit_names_the_effects_that_were_judged() {
    let stand = asking(&[], true);
    let (_, _, permit) = asked(stand.fetch("http://localhost:1/", true).await);
    assert!(permit.grants_private_fetch("http://localhost:1/"));
    assert!(!permit.grants_private_fetch("http://localhost:2/"));
    let (_, _, permit) = asked(stand.fetch("http://example.com/", false).await);
    assert!(!permit.grants_private_fetch("http://example.com/"));
}

#[tokio::test]
async fn a_private_host_is_asked_about_in_every_mode_unless_a_rule_names_it() {
    for mode in [Mode::Readonly, Mode::Workspace, Mode::Full] {
        let stand = GateFixture::allowing(mode, &["WebFetch"]);
        let (reason, rules, _) = asked(stand.fetch("http://localhost:1/", true).await);
        assert!(
            reason.contains("localhost is not a public address"),
            "{reason}"
        );
        stand.gate.allow(&rules);
        let verdict = stand.fetch("http://localhost:2/", true).await;
        assert!(matches!(verdict, Verdict::Allow(_)), "{verdict:?}");
    }
}

#[tokio::test]
async fn a_host_that_the_configuration_treats_as_public_is_judged_like_one() {
    for (mode, is_asked) in [(Mode::Workspace, true), (Mode::Full, false)] {
        let stand = GateFixture::allowing(mode, &[]);
        for url in [
            "http://localhost:1/",
            "http://127.0.0.1:1/",
            "http://wiki.lan/",
        ] {
            let verdict = stand.fetch(url, false).await;
            assert_eq!(matches!(verdict, Verdict::Ask { .. }), is_asked, "{url}");
        }
    }
}

#[tokio::test]
async fn files_outside_the_project_are_shown_after_a_yes_by_rule_and_in_full() {
    let other = tempfile::tempdir().unwrap();
    let above = other.path().canonicalize().unwrap();
    let other = above.join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("a.txt"), "alpha\n").unwrap();
    let path = other.join("a.txt");
    let read = json!({ "path": path });
    // `shown` answers yes to every question.
    let stand = asking(&[], true);
    let shown = stand.shown("Read", read.clone()).await;
    assert_eq!(shown.unwrap(), "     1\talpha\n");
    let effect = Effect::ReadPath { path: path.clone() };
    let _question = asked(stand.gate.judge(std::slice::from_ref(&effect), None).await);
    let rule = format!("Read({}/**)", other.display());
    for stand in [
        GateFixture::allowing(Mode::Workspace, &[&rule]),
        GateFixture::allowing(Mode::Full, &[]),
    ] {
        let verdict = stand.gate.judge(std::slice::from_ref(&effect), None).await;
        assert!(matches!(verdict, Verdict::Allow(_)), "{verdict:?}");
        assert_eq!(
            stand.shown("Read", read.clone()).await.unwrap(),
            "     1\talpha\n"
        );
    }
    let denying = GateFixture::new(&[&rule], &[]);
    assert_eq!(denying.shown("Read", read).await, None);
    let above = json!({ "path": above, "pattern": "alpha" });
    let shown = denying.shown("Grep", above).await.unwrap();
    assert!(!shown.contains("alpha"), "{shown}");
}
