//! Hooks look at tasks for agents, from models and clients, and at what agents do.

use scorel_proto::{ErrorCode, SessionId};
use serde_json::{Value, json};

use super::scene::{AGENTS, AgentScene, arguments, refused, task};
use crate::plugins::add;
use crate::under_test::{NamedPipe, send};

/// A guard of tasks: none may be evil, and all are titled.
const GUARD: &str = r#"
[permissions]
mode = "full"
[[hooks]]
name = "guard"
event = "PreToolUse"
matcher = "Agent"
command = '''
input=$(cat)
case $input in *'[evil]'*) echo "no evil tasks" >&2; exit 2 ;; esac
echo '{"hookSpecificOutput": {"updatedInput": {"title": "titled by a hook"}}}'
'''
[[hooks]]
name = "seen"
event = "PreToolUse"
matcher = "Write"
command = "cat > seen.json"
"#;

async fn scene() -> AgentScene {
    AgentScene::with(&format!("{AGENTS}\n{GUARD}")).await
}

#[tokio::test]
async fn a_task_that_a_client_gives_passes_the_hooks() {
    let scene = scene().await;
    let error = refused(&scene, &task(scene.lead, "developer", "evil")).await;
    assert_eq!(error.code, ErrorCode::Forbidden);
    assert_eq!(error.details["kind"], "hook");
    assert!(error.message.contains("guard: no evil tasks"), "{error:?}");
    assert!(scene.runtimes().await.is_empty());
    scene.spawn("developer", "good").await;
    scene.until_ended(1).await;
    let runtimes = scene.runtimes().await;
    assert_eq!(runtimes[0].title, "titled by a hook");
}

#[tokio::test]
async fn a_task_that_a_model_gives_passes_the_hooks() {
    let scene = scene().await;
    for name in ["evil", "good"] {
        scene
            .parts
            .call("lead", "AgentSpawn", &arguments("developer", name));
    }
    let mut watch = scene.watch().await;
    send(&scene.client, scene.lead, "[lead] Have it done.").await;
    watch.until("runtime_finished").await;
    let runtimes = scene.runtimes().await;
    assert_eq!(runtimes.len(), 1);
    assert_eq!(runtimes[0].title, "titled by a hook");
    let log = scene.log();
    let started = log.iter().filter(|line| line["type"] == "tool_started");
    let started: Vec<_> = started.collect();
    assert_eq!(started.len(), 1, "what is denied is not started");
    assert_eq!(started[0]["changedBy"], json!(["guard"]));
}

#[tokio::test]
async fn hooks_see_the_calls_of_an_agent_and_who_it_is() {
    let scene = scene().await;
    let written = json!({"path": "out.txt", "content": "x"});
    scene.parts.call("one", "Write", &written);
    let spawned = scene.spawn("developer", "one").await;
    scene.until_ended(1).await;
    let runtime = scene.runtime(spawned.runtime_id).await.runtime;
    let seen = std::fs::read(scene.daemon.project().join("seen.json")).unwrap();
    let seen: Value = serde_json::from_slice(&seen).unwrap();
    assert_eq!(seen["tool_name"], "Write");
    assert_eq!(seen["agent_type"], "developer");
    let session = runtime.session_id.map(|id| id.to_string());
    assert_eq!(seen["agent_id"].as_str(), session.as_deref());
}

/// Answer of a hook with a text for the model.
const ADDED: &str = r#"echo '{"hookSpecificOutput": {"additionalContext": "End with a haiku."}}'"#;

/// Keeps what it is told, says so in a pipe, and answers.
fn keeps(name: &str, event: &str, answer: &str) -> String {
    format!(
        "[[hooks]]\nname = '{name}'\nevent = '{event}'\n\
         command = '''cat > {name}.json; echo >{name}.told\n{answer}'''\n"
    )
}

#[tokio::test]
async fn the_begin_and_the_end_of_an_agent_are_told() {
    let hooks = keeps("start", "SubagentStart", ADDED)
        + "matcher = 'developer'\n"
        + &keeps("other", "SubagentStart", "")
        + "matcher = 'reviewer'\n"
        + &keeps("stop", "SubagentStop", "");
    let scene = AgentScene::with(&format!("{AGENTS}\n{hooks}")).await;
    let project = scene.daemon.project();
    let told = |name: &str| NamedPipe::new(&project.join(format!("{name}.told")));
    let (mut started, mut stopped) = (told("start"), told("stop"));
    for by_model in [true, false] {
        match by_model {
            true => {
                let spawn = arguments("developer", "one");
                scene.parts.call("lead", "AgentSpawn", &spawn);
                send(&scene.client, scene.lead, "[lead] Have it done.").await;
            }
            false => drop(scene.spawn("developer", "two").await),
        }
        started.line().await;
        stopped.line().await;
        let last = scene.runtimes().await.pop().unwrap();
        for (name, event) in [("start", "SubagentStart"), ("stop", "SubagentStop")] {
            let seen = std::fs::read(project.join(format!("{name}.json"))).unwrap();
            let seen: Value = serde_json::from_slice(&seen).unwrap();
            assert_eq!(seen["hook_event_name"], event);
            assert_eq!(seen["agent_id"], json!(last.session_id), "{seen}");
            assert_eq!(seen["agent_type"], "developer");
        }
        let seen = std::fs::read(project.join("stop.json")).unwrap();
        let seen: Value = serde_json::from_slice(&seen).unwrap();
        assert_eq!(seen["scorel"]["data"]["runtimeId"], json!(last.runtime_id));
        let is_told = |session: SessionId| {
            let log = scene.daemon.log(&session.to_string());
            json!(log).to_string().contains("a haiku")
        };
        assert!(is_told(last.session_id.unwrap()), "the agent is told");
        assert!(!is_told(scene.lead));
    }
    assert!(!project.join("other.json").exists());
}

#[tokio::test]
async fn a_published_plugin_tells_agents_the_phase_and_logs_their_ends() {
    let scene = AgentScene::new().await;
    if add(&scene.daemon, "selfish-pipeline").await.is_none() {
        return;
    }
    let state = scene.daemon.project().join(".claude");
    std::fs::create_dir(&state).unwrap();
    std::fs::write(state.join(".selfish-active"), "login\n").unwrap();
    std::fs::write(state.join(".selfish-phase"), "plan\n").unwrap();
    let mut logged = NamedPipe::new(&state.join(".selfish-task-results.log"));
    let spawned = scene.spawn("developer", "one").await;
    let line = logged.line().await;
    let agent = scene.runtime(spawned.runtime_id).await.runtime.session_id;
    let entry = format!("[developer] {}: one is done\n", agent.unwrap());
    assert!(line.ends_with(&entry), "{line}");
    let request = scene.model.requests()[0].json().to_string();
    let context = "[SELFISH PIPELINE] Feature: login | Phase: plan";
    assert!(request.contains(context), "{request}");
}

/// Nothing waits for the hooks of another session, and a cancel drops what one would answer.
#[tokio::test]
async fn a_hook_that_never_answers_holds_up_no_other_session() {
    let stuck = "[permissions]\nmode = \"full\"\n[[hooks]]\nname = \"stuck\"\n\
                 event = \"PreToolUse\"\nmatcher = \"Write\"\ntimeoutSeconds = 600\n\
                 command = \"echo >stuck; exec sleep 1000\"\n";
    let scene = AgentScene::with(&format!("{AGENTS}\n{stuck}")).await;
    let written = json!({"path": "out.txt", "content": "x"});
    scene.parts.call("one", "Write", &written);
    let mut stuck = NamedPipe::new(&scene.daemon.project().join("stuck"));
    let spawned = scene.spawn("developer", "one").await;
    stuck.line().await;
    scene.spawn("reviewer", "two").await;
    scene.until_ended(1).await;
    let params = scorel_proto::StopRuntimeParams {
        runtime_id: spawned.runtime_id,
        command_id: None,
    };
    scene
        .client
        .call::<scorel_proto::StopRuntime>(&params)
        .await
        .unwrap();
    scene.until_ended(2).await;
    assert!(!scene.daemon.project().join("out.txt").exists());
}
