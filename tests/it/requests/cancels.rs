//! What the model reads of a turn that was cancelled: each row of the table of cancels.

use scorel_proto::{Compact, CompactParams};
use scorel_testkit::{ModelReply, ResponseGate, ScriptedResponse};

use super::goldens::golden;
use super::scene::{Scene, calls, in_time, reached, reads, says};

const FULL: &str = "[permissions]\nmode = \"full\"\n";

fn busy(status: u16, seconds: &str) -> ScriptedResponse {
    let body = r#"{"error":{"message":"slow down"}}"#;
    ScriptedResponse::json(status, body).header("retry-after", seconds)
}

#[tokio::test]
async fn in_a_retry_delay() {
    golden("cancel_retry_delay", async |scene: &mut Scene| {
        scene.endpoint.respond(busy(503, "50"));
        scene.begin("What is the answer?").await;
        scene.until("model_retry").await;
        scene.cancel_turn().await;
        scene.turn("Are you there?", "Yes.").await;
    })
    .await;
}

#[tokio::test]
async fn while_waiting() {
    golden("cancel_waiting", async |scene: &mut Scene| {
        scene.endpoint.reply(reads("call_1", "notes.txt"));
        scene.endpoint.respond(busy(429, "7200"));
        scene.begin("What is the answer?").await;
        scene.until("turn_waiting").await;
        scene.cancel_turn().await;
        scene.turn("Are you there?", "Yes.").await;
    })
    .await;
}

/// The text is kept, the tool call that came with it is not.
#[tokio::test]
async fn in_a_model_call_with_text() {
    golden("cancel_with_text", async |scene: &mut Scene| {
        let gate = ResponseGate::default();
        let half = ModelReply::default().thinking("Where?").text("I look ");
        let call = half.tool_call("call_1", "Read", r#"{"path":"notes.txt"}"#);
        scene.reply(call.stall(&gate));
        scene.begin("What is the answer?").await;
        reached(&gate).await;
        scene.until("tool_call_delta").await;
        scene.cancel_turn().await;
        scene.turn("Go on.", "It is 42.").await;
    })
    .await;
}

#[tokio::test]
async fn in_a_model_call_without_text() {
    golden("cancel_without_text", async |scene: &mut Scene| {
        let gate = ResponseGate::default();
        scene.reply(reads("call_1", "notes.txt"));
        scene.reply(says("never").hold(&gate));
        scene.begin("What is the answer?").await;
        reached(&gate).await;
        scene.cancel_turn().await;
        scene.turn("Go on.", "It is 42.").await;
    })
    .await;
}

/// The one that was asked about, and the one that would have come after it.
#[tokio::test]
async fn while_a_question_is_open() {
    golden("cancel_asked", async |scene: &mut Scene| {
        scene.configure("", "[permissions]\nmode = \"ask\"\n");
        let call = calls("call_1", "Bash", r#"{"command":"touch a"}"#);
        scene.reply(call.tool_call("call_2", "Bash", r#"{"command":"touch b"}"#));
        scene.begin("Make them.").await;
        scene.until("permission_request").await;
        scene.cancel_turn().await;
        scene.turn("Are they there?", "No.").await;
    })
    .await;
}

#[tokio::test]
async fn while_a_command_runs() {
    golden("cancel_command", async |scene: &mut Scene| {
        scene.configure("", FULL);
        let command = r#"{"command":"echo begun; exec sleep 600"}"#;
        let call = calls("call_1", "Bash", command);
        scene.reply(call.tool_call("call_2", "Bash", r#"{"command":"touch b"}"#));
        scene.begin("Run it.").await;
        scene.until("tool_execution_update").await;
        scene.cancel_turn().await;
        scene.turn("What did it say?", "It had begun.").await;
    })
    .await;
}

/// A `Write` that has begun finishes, and what comes after it does not.
#[tokio::test]
async fn while_a_file_is_written() {
    golden("cancel_write", async |scene: &mut Scene| {
        // Asked about, so that the turn does not get past it either way.
        scene.configure("", "[permissions]\nask = [\"Bash(*)\"]\n");
        let call = calls("call_1", "Write", r#"{"path":"new.txt","content":"new\n"}"#);
        scene.reply(call.tool_call("call_2", "Bash", r#"{"command":"touch b"}"#));
        scene.begin("Write it.").await;
        let path = scene.daemon.project().join("new.txt");
        in_time(async {
            while !path.exists() {
                tokio::task::yield_now().await;
            }
        })
        .await;
        scene.cancel_turn().await;
        scene.turn("Is it there?", "Yes.").await;
    })
    .await;
}

/// Nothing is left of the summary that was being made.
#[tokio::test]
async fn in_a_compaction_of_a_turn() {
    golden("cancel_compaction", async |scene: &mut Scene| {
        let gate = ResponseGate::default();
        scene.configure("", "[compaction]\nkeepTokens = 0\n");
        scene.turn("What is the answer?", "42.").await;
        scene.endpoint.respond(scene.model.overflow());
        scene.reply(says("## Goal").hold(&gate));
        scene.begin("And why?").await;
        reached(&gate).await;
        scene.cancel_turn().await;
        scene.turn("Are you there?", "Yes.").await;
    })
    .await;
}

#[tokio::test]
async fn in_a_compaction_of_an_idle_session() {
    golden("cancel_idle_compaction", async |scene: &mut Scene| {
        let gate = ResponseGate::default();
        scene.configure("", "[compaction]\nkeepTokens = 0\n");
        scene.turn("What is the answer?", "42.").await;
        scene.reply(says("## Goal").hold(&gate));
        let params = CompactParams {
            session_id: scene.session,
            instructions: None,
            command_id: None,
        };
        scene.client.call::<Compact>(&params).await.unwrap();
        reached(&gate).await;
        scene.cancel().await;
        assert_eq!(scene.compaction().await["state"], "cancelled");
        scene.turn("Are you there?", "Yes.").await;
    })
    .await;
}
