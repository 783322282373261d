//! Commands of plugins, by RPC and on the command line.

use scorel_client::ClientError;
use scorel_proto::{
    ClientId, CommandKind, ErrorCode, ListCommands, ListCommandsParams, RpcError, RunCommand,
    RunCommandParams, RunCommandResult,
};

use super::*;
use crate::under_test::scorelctl;

async fn run(desk: &Desk, name: &str, id: Option<&str>) -> Result<RunCommandResult, RpcError> {
    let params = RunCommandParams {
        session_id: desk.id,
        name: name.to_owned(),
        arguments: "src/a.rs '$1 and more'".to_owned(),
        while_running: None,
        model: None,
        runner: None,
        command_id: id.map(|id| id.parse().unwrap()),
    };
    match desk.client.call::<RunCommand>(&params).await {
        Ok(answer) => Ok(answer),
        Err(ClientError::Rpc(error)) => Err(error),
        Err(other) => panic!("{other}"),
    }
}

fn users(daemon: &DaemonUnderTest) -> std::path::PathBuf {
    daemon.home().join("extensions/tidy")
}

#[tokio::test]
async fn a_command_is_one_message_however_often_it_is_sent() {
    let mut desk = Desk::with(|daemon| write_all(&users(daemon), &TIDY)).await;
    let params = ListCommandsParams {
        session_id: Some(desk.id),
        project_id: None,
    };
    let found = desk.client.call::<ListCommands>(&params).await.unwrap();
    let names: Vec<_> = found
        .commands
        .iter()
        .map(|it| (it.name.as_str(), it.kind, it.ignored.len()))
        .collect();
    assert_eq!(
        names,
        [
            ("tidy:fix", CommandKind::Plugin, 2),
            ("tidy:style", CommandKind::Skill, 0)
        ]
    );

    desk.client.hello(Some(ClientId::generate())).await.unwrap();
    let id = "once";
    let first = run(&desk, "tidy:fix", Some(id)).await.unwrap();
    desk.until_done().await;
    let root = users(&desk.daemon);
    let expected = format!(
        "Fix src/a.rs, then $1 and more. Run {}/check.sh. Status: !`touch ran`",
        root.display()
    );
    assert!(desk.asked(&expected), "{:?}", desk.texts());
    assert!(!desk.daemon.project().join("ran").exists() && !root.join("ran").exists());

    write_all(&root, &[("commands/fix.md", "Something else.")]);
    assert_eq!(run(&desk, "tidy:fix", Some(id)).await, Ok(first));
    let log = desk.daemon.log(&desk.id.to_string());
    let messages = log.iter().filter(|it| it["message"]["role"] == "user");
    assert_eq!(messages.count(), 1);

    for (name, suggestion) in [("fix", "tidy:fix"), ("tidy:fxi", "tidy:fix")] {
        let unknown = run(&desk, name, None).await.unwrap_err();
        assert_eq!(unknown.code, ErrorCode::UnknownName);
        assert_eq!(unknown.details["kind"], "command");
        assert_eq!(unknown.details["suggestion"], suggestion);
    }
}

#[tokio::test]
async fn a_slash_on_the_command_line_is_a_command_and_a_path_is_text() {
    let mut desk = Desk::with(|daemon| write_all(&users(daemon), &TIDY)).await;
    let session = desk.id.to_string();
    let send = async |text: &str| {
        scorelctl(&desk.daemon, &["send", "--session", &session, text], &[]).await
    };
    let sent = send("/tidy:fix one.rs two.rs").await;
    assert!(sent.status.success(), "{sent:?}");
    assert!(desk.asked("Fix one.rs, then two.rs."), "{:?}", desk.texts());
    let sent = send("/tidy:style").await;
    assert!(sent.status.success(), "{sent:?}");
    assert!(desk.asked("Use the skill `tidy:style`."));
    let requests = desk.model.requests().len();
    let refused = send("/fix it").await;
    let text = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && text.contains("did you mean /tidy:fix?"),
        "{text}"
    );
    assert_eq!(desk.model.requests().len(), requests, "nothing was sent");
    let sent = send("/etc/hosts is odd").await;
    assert!(sent.status.success(), "{sent:?}");
    assert!(desk.asked("/etc/hosts is odd"));
    desk.until_done().await;
}

#[tokio::test]
async fn the_model_is_told_of_a_plugins_skill_and_loads_it() {
    let desk = &mut Desk::with(|daemon| write_all(&users(daemon), &TIDY)).await;
    let call = ScriptedChat::default()
        .tool_call("call_1", "Skill", r#"{"name": "tidy:style"}"#)
        .finish("tool_calls");
    desk.model.answer(call);
    crate::under_test::send(&desk.client, desk.id, "Write code.").await;
    let events = desk.until_done().await;
    let result = events
        .iter()
        .find(|it| it["message"]["toolName"] == "Skill");
    let result = result.unwrap()["message"].to_string();
    assert!(result.contains("Use tabs."), "{result}");
    let body = desk.model.requests()[0].json().to_string();
    assert!(
        body.contains("tidy:style: Use when: code is written"),
        "{body}"
    );
    let listed = scorelctl(&desk.daemon, &["skills"], &[]).await;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(
        listed.contains("tidy:style") && listed.contains("its head is no YAML"),
        "{listed}"
    );
}
