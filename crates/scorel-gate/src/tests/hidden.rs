//! What the gate hides from commands.

use super::*;

async fn permit(deny: &[&str], mode: Mode) -> scorel_engine::Permit {
    let fixture = GateFixture::with(deny, &["Read(asked/**)"], |settings| settings.mode = mode);
    let directory = fixture.dir.path().canonicalize().unwrap();
    let effect = Effect::RunCommand {
        command: "ls".to_owned(),
        directory,
        network: false,
    };
    match fixture.gate.judge(&[effect], None).await {
        Verdict::Allow(permit) => permit,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_command_gets_what_rules_deny_to_read() {
    let permit = permit(&["Read(secrets/**)", "Write(x)"], Mode::Workspace).await;
    let hidden = permit.hidden.expect("a rule denies reading");
    let [root] = hidden.roots().try_into().unwrap();
    assert!(root.path.ends_with("secrets") && root.depth.is_none());
    let tree = Some(scorel_engine::HiddenExtent::Tree);
    assert_eq!(hidden.extent(&root.path.join("key")), tree);
    assert_eq!(hidden.extent(Path::new("/elsewhere")), None);
}

#[tokio::test]
async fn asking_rules_hide_nothing_from_commands() {
    assert!(
        permit(&["Write(x)"], Mode::Workspace)
            .await
            .hidden
            .is_none()
    );
}
