//! Commands that are run around the calls of a turn.

mod allowing;
mod beside;
mod changed;
mod failing;
mod guards;
mod guide;
mod listed;
mod tested;
mod transcripts;
mod trusted;

use scorel_proto::SessionId;
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat};
use serde_json::{Value, json};

use crate::under_test::{SCORELD, Watch, new_session, send};

/// A daemon with these hooks whose model makes these calls of `Write`, one after another.
async fn writing(hooks: &str, calls: &[(String, &str)]) -> (DaemonUnderTest, ModelServer) {
    let calls: Vec<_> = calls
        .iter()
        .map(|(path, content)| ("Write", json!({"path": path, "content": content})))
        .collect();
    calling(hooks, &calls).await
}

/// The same for calls of any tool.
async fn calling(hooks: &str, calls: &[(&str, Value)]) -> (DaemonUnderTest, ModelServer) {
    let model = ModelServer::start().await.unwrap();
    for (index, (tool, input)) in calls.iter().enumerate() {
        let id = format!("call_{index}");
        let answer = ScriptedChat::default().tool_call(&id, tool, &input.to_string());
        model.answer(answer.finish("tool_calls"));
    }
    model.answer(ScriptedChat::default().text("Done.").finish("stop"));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.configure_more(hooks);
    daemon.write_project_file("plain.txt", "no program\n");
    daemon.keep_canary("ANY_API_KEY");
    daemon.spawn().await;
    (daemon, model)
}

/// A `[[hooks]]` table. A command must not have three single quotes.
fn hook(name: &str, event: &str, command: &str, more: &str) -> String {
    format!("[[hooks]]\nname = '{name}'\nevent = '{event}'\ncommand = '''{command}'''\n{more}\n")
}

/// Runs one turn and returns its session.
async fn turn(daemon: &DaemonUnderTest) -> SessionId {
    let (client, id) = new_session(daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "Do it.").await;
    watch.until("turn_outcome").await;
    id
}

/// The texts of the results in a log, in their order.
fn results(log: &[Value]) -> Vec<String> {
    let results = log
        .iter()
        .filter(|line| line["message"]["role"] == "tool_result");
    let text = |line: &Value| {
        let blocks = line["message"]["content"][0]["content"].as_array().unwrap();
        let texts = blocks.iter().filter_map(|block| block["text"].as_str());
        texts.collect::<String>()
    };
    results.map(text).collect()
}

/// The records of a type in a log.
fn records<'a>(log: &'a [Value], kind: &str) -> Vec<&'a Value> {
    log.iter().filter(|line| line["type"] == kind).collect()
}
