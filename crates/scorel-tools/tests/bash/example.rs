//! The worked example of `CONTRIBUTING.md`.

use std::fs;
use std::sync::Arc;

use libtest_mimic::Trial;
use scorel_engine::{
    CommandAccess, Effect, Permit, Tool, ToolCall, ToolContext, ToolList, ToolOutcome,
};
use scorel_proto::Block;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::script_tool::ScriptTool;
use crate::session::Session;
use crate::trial;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial(
            "example::it_declares_what_it_does",
            it_declares_what_it_does,
        ),
        trial("example::it_runs_what_was_judged", it_runs_what_was_judged),
    ]
}

fn session() -> (Session, ToolList) {
    let session = Session::new();
    let script = "# says so\necho so > made && cat made\n";
    fs::write(session.path("project/src/say.sh"), script).unwrap();
    let mut tools = session.tools.list();
    let commands = session.tools.commands().unwrap();
    let tool = ScriptTool::new(session.tools.files(), commands);
    tools.push(Arc::new(tool) as Arc<dyn Tool>);
    (session, ToolList::new(tools).unwrap())
}

fn call(input: Value) -> ToolCall {
    ToolCall {
        id: "call_1".to_owned(),
        name: "RunScript".to_owned(),
        input,
        invalid_input: None,
    }
}

async fn it_declares_what_it_does() {
    let (session, list) = session();
    let project = session.path("project").canonicalize().unwrap();
    let plan = list.plan(call(json!({ "path": "src/say.sh" }))).await;
    let expected = [
        Effect::ReadPath {
            path: project.join("src/say.sh"),
        },
        Effect::RunCommand {
            command: "sh ./src/say.sh".to_owned(),
            directory: project,
            network: false,
        },
    ];
    assert_eq!(plan.effects(), expected);
    for input in [json!({}), json!({ "path": "a b" })] {
        assert_eq!(list.plan(call(input)).await.effects(), []);
    }
}

async fn it_runs_what_was_judged() {
    let (_session, list) = session();
    let run = async |command| -> ToolOutcome {
        let plan = list.plan(call(json!({ "path": "src/say.sh" }))).await;
        let permit = Permit {
            command,
            ..Permit::default()
        };
        let context = ToolContext {
            updates: watch::Sender::new(None),
            cancel: CancellationToken::new(),
        };
        plan.run(permit, context).await
    };
    let outcome = run(CommandAccess::Workspace { network: false }).await;
    assert_eq!(
        outcome.content,
        [Block::text("# says so\n"), Block::text("so\n")]
    );
    let outcome = run(CommandAccess::Readonly).await;
    assert!(outcome.is_error, "it may not write: {outcome:?}");
}
