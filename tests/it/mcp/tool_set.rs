//! The set of tools that a session is offered: it stays until it is renewed, whatever servers list.

use std::time::{Duration, Instant};

use scorel_proto::{CloneSession, CloneSessionParams, Compact, CompactParams};
use scorel_testkit::ScriptedChat;
use serde_json::{Value, json};

use super::scene::{Scene, Talk};
use crate::under_test::{Watch, until};

/// The most time of a turn that waits for no server, on a busy machine.
const AT_ONCE: Duration = Duration::from_secs(4);

fn tool(name: &str, description: &str) -> Value {
    json!({"name": name, "description": description, "inputSchema": {"type": "object"}})
}

fn of_type<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|it| it["type"] == kind).collect()
}

impl Scene {
    fn log(&self, talk: &Talk) -> Vec<Value> {
        self.daemon.log(&talk.id.to_string())
    }

    fn sets(&self, talk: &Talk) -> usize {
        of_type(&self.log(talk), "tool_set").len()
    }

    /// The latest request as text.
    fn request(&self) -> String {
        self.model.requests().last().unwrap().json().to_string()
    }
}

#[tokio::test]
async fn requests_begin_alike_over_twenty_turns_but_after_a_new_set() {
    let (one, two) = (tool("one", "The first."), tool("two", "The second."));
    let three = tool("three", "The third.");
    let scene = Scene::listing("mode = \"full\"", &json!([two, one])).await;
    let mut talk = scene.talk().await;
    let mut prefixes: Vec<(Value, usize)> = Vec::new();
    for turn in 1..=20 {
        let none = json!({});
        match turn {
            3 => {
                let answer = scene.call(&mut talk, "one", &none).await;
                assert!(answer.contains("one: {}"), "{answer}");
            }
            4 => scene.kill_server(),
            6 => {
                let answer = scene.call(&mut talk, "two", &none).await;
                assert!(answer.contains("two: {}"), "it is started again: {answer}");
            }
            8 => scene.relist(&json!([one, two, three])).await,
            11 => {
                let changed = tool("two", "Another second.");
                scene.relist(&json!([one, changed, three])).await;
                let answer = scene.call(&mut talk, "two", &none).await;
                assert!(answer.contains("E_TOOL_CHANGED"), "{answer}");
            }
            12 => scene.relist(&json!([one, three])).await,
            14 => {
                let answer = scene.call(&mut talk, "two", &none).await;
                assert!(answer.contains("E_UNAVAILABLE"), "{answer}");
            }
            16 => scene.refresh(&talk).await,
            _ => {}
        }
        let listed = scene.noted("listed").len();
        talk.turn(&scene.client, &format!("turn {turn}")).await;
        if matches!(turn, 8 | 12) {
            // It waited for nothing, and had the server asked.
            until(|| scene.noted("listed").len() > listed).await;
        }
        prefixes.push((scene.prefix(), scene.sets(&talk)));
        if turn == 10 {
            assert!(scene.request().contains("New tools: mcp__fake__three."));
        }
    }
    let told = scene.request().matches("New tools").count();
    assert_eq!(told, 1, "once");
    for pair in prefixes.windows(2) {
        let ((before, sets), (after, sets_after)) = (&pair[0], &pair[1]);
        assert_eq!(before != after, sets != sets_after);
    }
    assert_eq!(scene.sets(&talk), 2);
    assert_eq!(scene.offered(), ["mcp__fake__one", "mcp__fake__three"]);
}

#[tokio::test]
async fn a_compaction_renews_the_set() {
    let one = tool("one", "The first.");
    let scene = Scene::listing("mode = \"full\"", &json!([one])).await;
    scene
        .daemon
        .configure_more("[compaction]\nkeepTokens = 0\n");
    let mut talk = scene.talk().await;
    for text in ["one", "two"] {
        talk.turn(&scene.client, text).await;
    }
    scene
        .relist(&json!([one, tool("two", "The second.")]))
        .await;
    let summary = ScriptedChat::default()
        .text("## Goal\nNone.")
        .finish("stop");
    scene.model.answer(summary.usage(1, 1));
    let params = CompactParams {
        session_id: talk.id,
        instructions: None,
        command_id: None,
    };
    scene.client.call::<Compact>(&params).await.unwrap();
    talk.until("compact").await;
    talk.turn(&scene.client, "three").await;
    assert_eq!(scene.offered(), ["mcp__fake__one", "mcp__fake__two"]);
    assert_eq!(scene.sets(&talk), 2);
}

#[tokio::test]
async fn a_set_outlives_a_killed_daemon_and_needs_no_server_at_a_start() {
    let tools = json!([tool("one", "The first."), tool("two", "The second.")]);
    let mut scene = Scene::listing("mode = \"full\"", &tools).await;
    let mut talk = scene.talk().await;
    crate::under_test::send(&scene.client, talk.id, "hi").await;
    talk.until("tool_set").await;
    scene.daemon.kill().await;
    scene.daemon.spawn().await;
    scene.client = crate::under_test::connect(&scene.daemon.socket()).await;
    talk.look_again(&scene.client).await;
    let started = scene.noted("started").len();
    talk.turn(&scene.client, "again").await;
    assert_eq!(scene.offered(), ["mcp__fake__one", "mcp__fake__two"]);
    assert_eq!(scene.sets(&talk), 1);
    assert_eq!(
        scene.noted("started").len(),
        started,
        "no server was needed"
    );
    let answer = scene.call(&mut talk, "two", &json!({})).await;
    assert!(answer.contains("two: {}"), "{answer}");
    assert_eq!(scene.noted("started").len(), started + 1);
}

#[tokio::test]
async fn a_server_that_hangs_delays_the_first_turn_only() {
    let scene = Scene::of("hangs").await;
    let mut talk = scene.talk().await;
    let seen = talk.turn(&scene.client, "hi").await;
    assert!(seen.iter().any(|it| it["code"] == "tools_late.mcp:fake"));
    let began = Instant::now();
    talk.turn(&scene.client, "again").await;
    assert!(began.elapsed() < AT_ONCE, "{:?}", began.elapsed());
    assert_eq!(scene.sets(&talk), 1, "an empty one");
}

#[tokio::test]
async fn a_clone_has_the_set_of_its_source() {
    let scene = Scene::listing("mode = \"full\"", &json!([tool("one", "The first.")])).await;
    let mut talk = scene.talk().await;
    talk.turn(&scene.client, "hi").await;
    let prefix = scene.prefix();
    let list = json!([tool("one", "Another."), tool("two", "The second.")]);
    scene.relist(&list).await;
    let params = CloneSessionParams {
        session_id: talk.id,
        event_id: crate::under_test::session(&scene.client, talk.id)
            .await
            .active_leaf_id,
        command_id: None,
    };
    let cloned = scene.client.call::<CloneSession>(&params).await.unwrap();
    let id = cloned.session.session_id;
    let mut watch = Watch::from_start(&scene.client, id).await;
    watch.until("sync_end").await;
    crate::under_test::send(&scene.client, id, "in the clone").await;
    watch.until("turn_outcome").await;
    let of_clone = scene.prefix();
    let log = scene.daemon.log(&id.to_string());
    assert_eq!(of_type(&log, "tool_set").len(), 1, "{log:?}");
    assert_eq!(of_clone, prefix);
}

#[tokio::test]
async fn a_session_without_programs_has_no_set() {
    let scene = Scene::of("modern").await;
    let config = scene.daemon.home().join("config.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    let (before, _) = text.split_once("[[mcp.servers]]").unwrap();
    std::fs::write(&config, before).unwrap();
    let mut talk = scene.talk().await;
    talk.turn(&scene.client, "hi").await;
    assert_eq!(scene.sets(&talk), 0);
}
