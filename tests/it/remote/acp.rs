use rustix::process::{Pid, Signal, kill_process};

use super::ssh_server::SshServer;
use super::verbs::answering;
use crate::acp::editor::Editor;

/// An editor on one machine with a session on another, over two lives of ssh.
#[tokio::test]
async fn an_editor_has_a_session_of_another_machine() {
    let (_model, daemon) = answering("the answer").await;
    let Some(server) = SshServer::of(&daemon) else {
        return;
    };
    server.knows_all();
    let agent = server.scorelctl(&["--remote", "here", "acp"]);
    let mut editor = Editor::of(agent, &daemon.project());
    editor.initialize().await;
    let session = editor.new_session().await;
    for question in ["one", "two"] {
        let prompt = editor.prompt(&session, question).await;
        assert_eq!(editor.stopped(prompt).await, "end_turn");
        for child in server.children() {
            // Those of before are gone.
            let _gone = kill_process(Pid::from_raw(child).unwrap(), Signal::KILL);
        }
    }
    let texts = editor.texts("agent_message_chunk").concat();
    assert_eq!(texts.matches("the answer").count(), 2, "{texts}");
    let log = daemon.log(&session);
    let ended = log.iter().filter(|event| event["type"] == "turn_outcome");
    assert_eq!(ended.count(), 2);
}
