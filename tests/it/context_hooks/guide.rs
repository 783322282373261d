//! The examples do what the guide says of them.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;

use scorel_proto::{PermissionDecision, RespondPermission, RespondPermissionParams};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::time::timeout;

use super::{daemon, runs, says, sent, turn};
use crate::under_test::{PATIENCE, Watch, new_session, send};

const GUIDE: &str = include_str!("../../../docs/hooks.md");

/// The example that has this hook, with the scripts where they are.
fn example(name: &str) -> String {
    let blocks = GUIDE.split("```toml\n").skip(1);
    let mut blocks = blocks.filter_map(|rest| rest.split("```").next());
    let named = format!("name = \"{name}\"");
    let found = blocks.find(|block| block.contains(&named)).unwrap();
    let scripts = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/hooks");
    found.replace("~/.scorel/hooks", scripts)
}

#[tokio::test]
async fn a_prompt_comes_with_a_reminder() {
    let (daemon, model) = daemon(&example("remind"), vec![says("Red.")]).await;
    let (_, outcome) = turn(&daemon, "What are roses?").await;
    assert_eq!(outcome["reason"], "completed", "{outcome}");
    assert!(sent(&model, 0).contains("Answer in one sentence."));
}

#[tokio::test]
async fn a_turn_ends_when_the_tests_pass() {
    let repair = "printf '#!/bin/sh\\nexit 0\\n' > run-tests";
    let answers = vec![says("I am done."), runs(repair), says("Now I am.")];
    let more = format!("[permissions]\nmode = 'full'\n{}", example("tests"));
    let (daemon, model) = daemon(&more, answers).await;
    let tests = daemon.project().join("run-tests");
    daemon.write_project_file("run-tests", "#!/bin/sh\necho one of them fails\nexit 1\n");
    std::fs::set_permissions(&tests, Permissions::from_mode(0o755)).unwrap();
    let (_, outcome) = turn(&daemon, "Do it.").await;
    assert_eq!(outcome["reason"], "completed", "{outcome}");
    assert_eq!(model.requests().len(), 3);
    assert!(!sent(&model, 0).contains("The tests fail"));
    assert!(sent(&model, 1).contains("one of them fails"));
}

/// The body of the next request to a server of ntfy.
async fn told(server: &TcpListener) -> String {
    let (mut stream, _) = timeout(PATIENCE, server.accept()).await.unwrap().unwrap();
    let mut text = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let read = stream.read(&mut chunk).await.unwrap();
        text.extend_from_slice(&chunk[..read]);
        let request = String::from_utf8_lossy(&text).into_owned();
        let Some((head, body)) = request.split_once("\r\n\r\n") else {
            assert!(read > 0, "{request}");
            continue;
        };
        let head = head.to_ascii_lowercase();
        let length = head.split("content-length: ").nth(1).unwrap();
        let length: usize = length.lines().next().unwrap().trim().parse().unwrap();
        if body.len() >= length {
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            stream.write_all(answer).await.unwrap();
            return format!("{head}\n{body}");
        }
    }
}

#[tokio::test]
async fn a_phone_is_told_of_questions_and_ends() {
    if std::process::Command::new("curl")
        .arg("--version")
        .output()
        .is_err()
    {
        assert_ne!(
            std::env::var("CI").as_deref(),
            Ok("true"),
            "curl is not installed"
        );
        println!("skipped: curl is not installed");
        return;
    }
    let server = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let topic = format!("http://{}/topic", server.local_addr().unwrap());
    let hooks = example("ntfy").replace("https://ntfy.sh/YOUR-TOPIC", &topic);
    let more = format!("[permissions]\nmode = 'ask'\n{hooks}");
    let (daemon, _model) = daemon(&more, vec![runs("touch hello.txt"), says("Done.")]).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "Say hello.").await;
    let asked = watch.until("permission_request").await.pop().unwrap();
    let question = told(&server).await;
    assert!(question.starts_with("post /topic "), "{question}");
    assert!(question.contains("title: scorel"), "{question}");
    assert!(question.contains("Bash"), "{question}");
    let params = RespondPermissionParams {
        session_id: id,
        request_id: serde_json::from_value(asked["requestId"].clone()).unwrap(),
        decision: PermissionDecision::Once,
        reason: None,
        command_id: None,
    };
    client.call::<RespondPermission>(&params).await.unwrap();
    watch.until("turn_outcome").await;
    let end = told(&server).await;
    assert!(end.contains("has ended"), "{end}");
}
