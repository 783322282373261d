//! Hooks at the points of a turn, as commands: what the model reads of them, and what is left of them after a kill.

mod asides;
mod guide;
mod killed;
mod listeners;
mod points;

use scorel_proto::SessionId;
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat};
use serde_json::Value;

use crate::under_test::{SCORELD, Watch, new_session, send};

/// A daemon with this configuration, whose model gives these answers.
async fn daemon(config: &str, answers: Vec<ScriptedChat>) -> (DaemonUnderTest, ModelServer) {
    let model = ModelServer::start().await.unwrap();
    for answer in answers {
        model.answer(answer);
    }
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.configure_more(config);
    daemon.keep_canary("ANY_API_KEY");
    daemon.spawn().await;
    (daemon, model)
}

fn says(text: &str) -> ScriptedChat {
    ScriptedChat::default().text(text).finish("stop")
}

fn runs(command: &str) -> ScriptedChat {
    let input = serde_json::json!({ "command": command }).to_string();
    let call = ScriptedChat::default().tool_call("call_0", "Bash", &input);
    call.finish("tool_calls")
}

/// A `[[hooks]]` table. A command must not have three single quotes.
fn hook(name: &str, event: &str, command: &str) -> String {
    format!("[[hooks]]\nname = '{name}'\nevent = '{event}'\ncommand = '''{command}'''\n")
}

/// Runs one turn and returns its session and its end.
async fn turn(daemon: &DaemonUnderTest, text: &str) -> (SessionId, Value) {
    let (client, id) = new_session(daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, text).await;
    let mut events = watch.until("turn_outcome").await;
    (id, events.pop().unwrap())
}

/// The messages of a request, as JSON.
fn sent(model: &ModelServer, request: usize) -> String {
    model.requests()[request].json()["messages"].to_string()
}
