//! Hooks look at what a runner asks about.

use scorel_testkit::{DaemonUnderTest, ModelServer};
use serde_json::Value;

use super::double::script_runner;
use super::{answer_of, only, send_to};
use crate::under_test::{SCORELD, Watch, daemon, new_session};

/// Asks about two commands, and keeps the answers.
const ASKS: &str = r#"
read -r _; echo '{"type":"control_response","response":{"request_id":"scorel-initialize"}}'
read -r _
for command in 'git push' 'git status'; do
    echo '{"type":"control_request","request_id":"q","request":{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"c-'${command#git }'","input":{"command":"'$command'"}}}'
    read -r answer
    echo "$answer" >> answers.txt
done
echo '{"type":"assistant","message":{"content":[{"type":"text","text":"done"}]}}'
echo '{"type":"result","subtype":"success","num_turns":1}'
read -r _"#;

const GUARD: &str = r#"
[permissions]
mode = "full"
[[hooks]]
name = "guard"
event = "PreToolUse"
matcher = "Bash"
if = "Bash(git push *)"
command = "cat > seen.json; echo 'not from here' >&2; exit 2"
"#;

#[tokio::test]
async fn a_question_of_a_runner_passes_the_hooks() {
    let model = ModelServer::start().await.unwrap();
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.configure_more(&script_runner("asks", "claude-code", ASKS, ""));
    daemon.configure_more(GUARD);
    daemon.spawn().await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send_to(&client, id, "asks", "go").await;
    let events = watch.until("turn_outcome").await;
    assert_eq!(events.last().unwrap()["reason"], "completed");
    let is_asked = |event: &&Value| event["type"] == "permission_request";
    assert_eq!(
        events.iter().filter(is_asked).count(),
        0,
        "the mode is full"
    );
    let answers = std::fs::read_to_string(daemon.project().join("answers.txt")).unwrap();
    let answers: Vec<&str> = answers.lines().collect();
    assert!(
        answers[0].contains("deny") && answers[0].contains("not from here"),
        "{answers:?}"
    );
    assert!(answers[1].contains("allow"), "{answers:?}");
    let seen = std::fs::read(daemon.project().join("seen.json")).unwrap();
    let seen: Value = serde_json::from_slice(&seen).unwrap();
    assert_eq!(seen["tool_input"]["command"], "git push");
    assert_eq!(seen["scorel"]["ranBy"], "asks");
}

/// A runner that repeats its prompt, and hooks at prompts.
const PROMPTED: &str = r#"
[runners.echo]
type = "command"
command = ["/bin/sh", "-c", "echo >started; cat"]
trustOwn = true
[[hooks]]
name = "remind"
event = "UserPromptSubmit"
command = "echo be brief"
[[hooks]]
name = "guard"
event = "UserPromptSubmit"
command = "grep -q secret || exit 0; echo it names a secret >&2; exit 2"
"#;

#[tokio::test]
async fn hooks_add_to_the_prompt_of_a_runner_and_deny_it() {
    let model = ModelServer::start().await.unwrap();
    let daemon = daemon(&model, PROMPTED).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send_to(&client, id, "echo", "the secret is 42").await;
    let events = watch.until("turn_outcome").await;
    let error = &only(&events, "turn_outcome")["error"];
    assert_eq!(error["code"], "hook_denied", "{error}");
    assert!(!daemon.project().join("started").exists());
    send_to(&client, id, "echo", "hello").await;
    let events = watch.until("turn_outcome").await;
    let said = answer_of(&events);
    let text = said["message"]["content"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("hello") && text.contains("be brief"),
        "{text}"
    );
    assert!(!text.contains("42"), "{text}");
}
