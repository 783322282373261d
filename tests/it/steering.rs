//! Steers and the queue, through the command line client and over the socket.

use scorel_client::Connection;
use scorel_proto::{
    Cancel, CancelParams, QueueEdit, QueueItemId, RewriteQueue, RewriteQueueParams, SendMessage,
    SendMessageParams, SendMessageResult, SessionId, WhileRunning,
};
use scorel_testkit::{DaemonUnderTest, ModelServer, ResponseGate, ScriptedChat};

use crate::under_test::{SCORELD, Watch, connect, message, new_session, scorelctl, send, session};

/// A daemon with a session, and a model whose first answer waits at the gate.
struct Stage {
    daemon: DaemonUnderTest,
    model: ModelServer,
    gate: ResponseGate,
    client: Connection,
    id: SessionId,
}

impl Stage {
    async fn new() -> Self {
        let model = ModelServer::start().await.unwrap();
        let gate = ResponseGate::default();
        model.answer(
            ScriptedChat::default()
                .wait(&gate)
                .text("one")
                .finish("stop"),
        );
        model.fallback(ScriptedChat::default().text("more").finish("stop"));
        let mut daemon = DaemonUnderTest::new(SCORELD);
        daemon.configure_model(&model.base_url());
        daemon.spawn().await;
        let (client, id) = new_session(&daemon).await;
        send(&client, id, "begin").await;
        gate.reached().await;
        Self {
            daemon,
            model,
            gate,
            client,
            id,
        }
    }

    /// Runs `scorelctl`, which must succeed; what it prints.
    async fn ctl(&self, arguments: &[&str]) -> String {
        let output = scorelctl(&self.daemon, arguments, &[]).await;
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    async fn texts(&self) -> Vec<String> {
        let queue = session(&self.client, self.id).await.queue;
        let text = |item: &scorel_proto::QueueItem| match &item.content[0] {
            scorel_proto::Block::Text { text, .. } => text.clone(),
            other => panic!("{other:?}"),
        };
        queue.iter().map(text).collect()
    }
}

#[tokio::test]
async fn a_steer_from_the_command_line_reaches_the_model_within_the_turn() {
    let stage = Stage::new().await;
    let mut watch = Watch::from_start(&stage.client, stage.id).await;
    let said = stage.ctl(&["steer", "use", "tabs"]).await;
    assert_eq!(said, "the turn reads it before its next model call\n");
    stage.gate.open();
    watch.until("turn_outcome").await;
    let requests = stage.model.requests();
    assert_eq!(requests.len(), 2, "one turn, two calls");
    let last = requests[1].json();
    let last = last["messages"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(
        (&last["role"], &last["content"]),
        (&"user".into(), &"use tabs".into())
    );
    let log = stage.daemon.log(&stage.id.to_string());
    let outcomes = log.iter().filter(|line| line["type"] == "turn_outcome");
    assert_eq!(outcomes.count(), 1);
    let idle = stage.ctl(&["steer", "and", "now?"]).await;
    assert!(
        idle.starts_with("no turn was running: the message started trn_"),
        "{idle}"
    );
}

#[tokio::test]
async fn steering_now_cancels_and_goes_on_with_the_message() {
    let stage = Stage::new().await;
    let mut watch = Watch::from_start(&stage.client, stage.id).await;
    stage.ctl(&["queue", "add", "later"]).await;
    let said = stage.ctl(&["steer", "--now", "instead"]).await;
    assert_eq!(said, "queued as a follow-up, number 2\n");
    for _ in 0..3 {
        watch.until("turn_outcome").await;
    }
    let log = stage.daemon.log(&stage.id.to_string());
    let outcomes: Vec<_> = log
        .iter()
        .filter(|line| line["type"] == "turn_outcome")
        .map(|line| line["reason"].as_str().unwrap())
        .collect();
    assert_eq!(outcomes, ["cancelled", "completed", "completed"]);
}

#[tokio::test]
async fn the_command_line_lists_and_changes_the_queue() {
    let stage = Stage::new().await;
    for text in ["a", "b", "c"] {
        stage.ctl(&["queue", "add", text]).await;
    }
    stage.ctl(&["queue", "move", "3", "1"]).await;
    stage.ctl(&["queue", "edit", "2", "A"]).await;
    stage.ctl(&["queue", "remove", "3"]).await;
    let listed = stage
        .ctl(&["queue", "add", "--hold", "--at", "2", "d"])
        .await;
    assert_eq!(stage.texts().await, ["c", "d", "A"]);
    assert_eq!(listed.lines().count(), 3);
    let item = listed
        .lines()
        .nth(1)
        .unwrap()
        .split_whitespace()
        .nth(1)
        .unwrap();
    let suffix = item[item.len() - 10..].to_lowercase();
    stage.ctl(&["queue", "convert", &suffix, "steer"]).await;
    assert!(stage.ctl(&["queue"]).await.contains("steer"));
    assert!(session(&stage.client, stage.id).await.queue_paused);
    stage.ctl(&["queue", "resume"]).await;
    assert!(!session(&stage.client, stage.id).await.queue_paused);
    stage.ctl(&["queue", "clear"]).await;
    assert!(stage.texts().await.is_empty());
    stage.ctl(&["queue", "clear"]).await;
    let wrong = scorelctl(&stage.daemon, &["queue", "remove", "7"], &[]).await;
    let text = String::from_utf8(wrong.stderr).unwrap();
    assert!(
        text.contains("no queued message") && text.contains("scorelctl queue"),
        "{text}"
    );
}

/// Two clients edit one queue and send to it while turns end.
#[tokio::test(flavor = "multi_thread")]
async fn of_two_rewrites_one_wins_and_no_message_is_lost_or_run_twice() {
    let stage = Stage::new().await;
    stage.gate.open();
    let clients = [
        connect(&stage.daemon.socket()).await,
        connect(&stage.daemon.socket()).await,
    ];
    let tasks = clients.map(|client| tokio::spawn(edit(client, stage.id)));
    let (mut kept, mut removed) = (Vec::new(), Vec::new());
    let mut conflicts = 0;
    for task in tasks {
        let edits = task.await.unwrap();
        kept.extend(edits.sent);
        removed.extend(edits.removed);
        conflicts += edits.conflicts;
    }
    kept.retain(|item| !removed.contains(item));
    assert!(conflicts > 0, "the clients were never in each other's way");
    // A cancel may have paused the queue; a message goes on with it.
    let last = message(stage.id, "the last");
    let last = stage.client.call::<SendMessage>(&last).await.unwrap();
    if let SendMessageResult::Queued { queue_item_id, .. } = last {
        kept.push(queue_item_id);
    }
    loop {
        let now = session(&stage.client, stage.id).await;
        if now.turn_id.is_none() && now.queue.is_empty() {
            break;
        }
        tokio::task::yield_now().await;
    }
    let log = stage.daemon.log(&stage.id.to_string());
    let mut ran: Vec<QueueItemId> = log
        .iter()
        .filter_map(|line| line["queueItemId"].as_str())
        .map(|id| id.parse().unwrap())
        .collect();
    ran.sort_unstable();
    kept.sort_unstable();
    assert_eq!(ran, kept);
}

#[derive(Default)]
struct Edits {
    sent: Vec<QueueItemId>,
    removed: Vec<QueueItemId>,
    conflicts: usize,
}

/// Sends messages, and removes the first one that waits, also that of the other client.
async fn edit(client: Connection, session_id: SessionId) -> Edits {
    let mut edits = Edits::default();
    for round in 0..40 {
        let params = SendMessageParams {
            while_running: Some(if round % 2 == 0 {
                WhileRunning::Steer
            } else {
                WhileRunning::FollowUp
            }),
            ..message(session_id, "more")
        };
        let sent = client.call::<SendMessage>(&params).await.unwrap();
        if let SendMessageResult::Queued { queue_item_id, .. } = sent {
            edits.sent.push(queue_item_id);
        }
        let seen = session(&client, session_id).await;
        let Some(first) = seen.queue.first() else {
            continue;
        };
        let params = RewriteQueueParams {
            session_id,
            expected_version: seen.queue_version,
            ops: vec![QueueEdit::Remove {
                queue_item_id: first.queue_item_id,
            }],
            command_id: None,
        };
        match client.call::<RewriteQueue>(&params).await {
            Ok(_) => edits.removed.push(first.queue_item_id),
            Err(error) => {
                let text = format!("{error:?}");
                assert!(
                    text.contains("\"queue\"") && text.contains("Conflict"),
                    "{text}"
                );
                edits.conflicts += 1;
            }
        }
        if round % 8 == 7 {
            let params = CancelParams {
                children: None,
                session_id,
                expected_turn_id: seen.turn_id,
                clear_queue: None,
                command_id: None,
            };
            client.call::<Cancel>(&params).await.unwrap();
        }
    }
    edits
}
