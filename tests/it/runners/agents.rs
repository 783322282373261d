//! Foreign agents that work for an orchestrator.

use std::path::Path;

use scorel_proto::{
    AgentTaskStatus, ListRuntimes, ListRuntimesParams, ListWorktrees, ListWorktreesParams,
    OpenOrchestrator, OpenOrchestratorParams, PermissionDecision,
};
use scorel_testkit::{AgentCli, ModelReply};
use serde_json::{Value, json};

use super::scene::{AgentScene, answer, runner, say};
use crate::under_test::{Watch, git, has_git, new_session, send, session};

/// One at a time: the agents share a scripted model.
const CONFIG: &str = "\
[agents.one]
runner = \"codex\"
prompt = \"You are the first.\"
[agents.two]
runner = \"claude-code\"
workspace = \"worktree\"
[orchestrator]
maxRunning = 1
";

fn spawning(agent: &str) -> ModelReply {
    let arguments =
        json!({"agentType": agent, "prompt": format!("Task of {agent}"), "title": agent});
    ModelReply::default().tool_call(
        &format!("call_{agent}"),
        "AgentSpawn",
        &arguments.to_string(),
    )
}

#[tokio::test]
async fn an_orchestrator_has_work_done_by_two_programs_that_ask_and_gets_each_result_once() {
    if !has_git() {
        return;
    }
    let clis = [AgentCli::Codex, AgentCli::Claude];
    let Some(scene) = AgentScene::start(&clis, "", CONFIG).await else {
        return;
    };
    git(&scene.daemon.project(), "init -q -b main");
    git(&scene.daemon.project(), "commit -q --allow-empty -m first");
    let (client, other) = new_session(&scene.daemon).await;
    let params = OpenOrchestratorParams {
        project_id: session(&client, other).await.project_id,
        command_id: None,
    };
    let lead = client.call::<OpenOrchestrator>(&params).await.unwrap();
    let lead = lead.session_id;
    for cli in clis {
        scene.reply(cli.command("call_1", &format!("touch {}", runner(cli))));
        scene.reply(say(&format!("{} is done", runner(cli))));
    }
    scene.engine.reply(spawning("one"));
    scene.engine.reply(spawning("two"));
    for text in [
        "Both are at work.",
        "The one is done.",
        "The other is done.",
    ] {
        scene.engine.reply(say(text));
    }
    let mut watch = Watch::from_start(&client, lead).await;
    send(&client, lead, "Have both done.").await;
    for _ in clis {
        let asked = loop {
            let seen = watch.until("runtime_status_changed").await;
            let last = seen.last().unwrap()["waitingFor"].clone();
            if last.is_object() {
                break last;
            }
        };
        let child = serde_json::from_value(asked["sessionId"].clone()).unwrap();
        answer(&client, child, &asked, PermissionDecision::Once).await;
    }
    while session(&client, lead).await.runtimes.unwrap().open > 0 {
        watch.next().await;
    }
    let params = ListRuntimesParams {
        session_id: Some(lead),
        ..ListRuntimesParams::default()
    };
    let runtimes = client.call::<ListRuntimes>(&params).await.unwrap().runtimes;
    assert_eq!(runtimes.len(), 2);
    for runtime in &runtimes {
        assert_eq!(runtime.status, AgentTaskStatus::Completed, "{runtime:?}");
        let (usage, id) = (runtime.usage, runtime.runtime_id.to_string());
        assert_eq!((usage.input_tokens, usage.output_tokens), (200, 20));
        let records = scene.daemon.log(&lead.to_string());
        let holds = |record: &&Value| record["message"]["meta"]["runtimeId"] == id.as_str();
        let results: Vec<&Value> = records.iter().filter(holds).collect();
        assert_eq!(results.len(), 1);
        let text = results[0]["message"]["content"][0].to_string();
        let has_branch = text.contains("Branch: scorel/two-");
        assert_eq!(has_branch, runtime.agent_type == "two", "{text}");
    }
    let params = ListWorktreesParams { project_id: None };
    let trees = client.call::<ListWorktrees>(&params).await.unwrap();
    assert_eq!(trees.worktrees.len(), 1);
    let tree = Path::new(&trees.worktrees[0].path);
    for (cli, directory) in [
        (clis[0], scene.daemon.project()),
        (clis[1], tree.to_owned()),
    ] {
        let made = directory.join(runner(cli));
        assert!(made.exists(), "{}", made.display());
    }
    let first = &scene.agents.requests()[0];
    assert!(first.contains("You are the first."), "{first}");
}
