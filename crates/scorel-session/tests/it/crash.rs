//! What a crash leaves is closed when the session is loaded.

use scorel_proto::{Seq, SessionId, StopReason};
use serde_json::Value;

use crate::log::{Log, name, text};
use crate::rig::Rig;

/// A home as a crash left it, and the last number that had been shown by then.
struct Crash {
    rig: Rig,
    shown: Seq,
}

impl Crash {
    async fn now(rig: &Rig, id: SessionId) -> Self {
        // First the number: every record that was shown by then is in the copy.
        let shown = rig.lane(id).await.session().expect("there").current_seq;
        Self {
            rig: rig.crashed(),
            shown,
        }
    }

    /// Loads the session that the crash left, and checks that loading again changes nothing.
    async fn recover(&self, id: SessionId) -> Log {
        let before = self.rig.log(id);
        self.rig.lane(id).await;
        let log = self.rig.check(id).await;
        assert_eq!(
            log.lines[..before.lines.len()],
            before.lines,
            "the past stays"
        );
        for record in &log.records[before.records.len()..] {
            let seq = record["seq"].as_u64().expect("a number");
            assert!(seq > self.shown.get(), "{seq} was shown before: {record}");
        }
        let again = self.rig.restarted();
        again.lane(id).await;
        assert_eq!(again.log(id).lines, log.lines, "recovered once");
        log
    }
}

/// Plays a turn with two answers, three tools and a queued message, and crashes after each event
/// that a client sees.
async fn crashes() -> (SessionId, Vec<Crash>) {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    let mut crashes = Vec::new();
    rig.begin(id, "go").await;
    let call = rig.model().await;
    let watch =
        async |follower: &mut crate::follower::Follower, last: &str, crashes: &mut Vec<Crash>| {
            loop {
                let value = follower.next().await;
                crashes.push(Crash::now(&rig, id).await);
                if name(&value) == last {
                    return;
                }
            }
        };
    call.text("I will ").await;
    call.text("look").await;
    watch(&mut follower, "text_delta", &mut crashes).await;
    call.tool_begins(1, "c1", "look", "{}").await;
    call.tool_begins(2, "c2", "peek", "{}").await;
    call.tool_begins(3, "c3", "write", "{}").await;
    call.done(StopReason::ToolUse).await;
    let (first, second) = (rig.tool().await, rig.tool().await);
    second.end("two");
    watch(&mut follower, "tool_execution_end", &mut crashes).await;
    first.end("one");
    watch(&mut follower, "tool_result", &mut crashes).await;
    rig.tool().await.end("three");
    watch(&mut follower, "tool_execution_end", &mut crashes).await;
    let call = rig.model().await;
    call.text("it ").await;
    call.text("is").await;
    watch(&mut follower, "message_start", &mut crashes).await;
    call.done(StopReason::EndTurn).await;
    watch(&mut follower, "turn_outcome", &mut crashes).await;
    (id, crashes)
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_was_open_gets_one_outcome_wherever_it_was() {
    let (id, crashes) = crashes().await;
    assert!(crashes.len() > 25, "{} places", crashes.len());
    let mut reasons = Vec::new();
    for crash in crashes {
        let log = crash.recover(id).await;
        assert_eq!(log.reasons().len(), 1, "{:?}", log.outline());
        reasons.push(log.reasons()[0].to_owned());
        crash.rig.exchange(id, "and now?").await;
        crash.rig.check(id).await;
    }
    assert_eq!(reasons.last().map(String::as_str), Some("completed"));
    assert_eq!(reasons.first().map(String::as_str), Some("interrupted"));
}

#[tokio::test(start_paused = true)]
async fn calls_without_results_get_an_error_that_says_whether_they_had_started() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    let calls = [("c1", "look"), ("c2", "peek"), ("c3", "write")];
    rig.model().await.tools(&calls).await;
    let (first, second) = (rig.tool().await, rig.tool().await);
    first.end("one");
    follower.until("tool_result").await;
    let crash = Crash::now(&rig, id).await;
    let log = crash.recover(id).await;
    let contents: Vec<&str> = log
        .all("tool_result")
        .iter()
        .map(|result| text(&result["message"]["content"][0]["content"][0], "text"))
        .collect();
    assert_eq!(
        contents,
        [
            "one",
            "started, but its outcome is unknown: the daemon stopped before it ended",
            "not started: the daemon stopped",
        ]
    );
    let started = log.all("tool_started")[1];
    assert_eq!(log.all("tool_result")[1]["id"], started["eventId"]);
    second.end("too late for the copy");
}

#[tokio::test(start_paused = true)]
async fn shown_text_is_kept_and_no_number_is_used_again() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    let call = rig.model().await;
    call.thinking("hm").await;
    for _ in 0..500 {
        call.text_in(1, "x").await;
    }
    call.tool_begins(2, "c1", "write", "{\"a\":").await;
    for _ in 0..502 {
        let shown = follower.next().await;
        if name(&shown) == "tool_call_delta" {
            break;
        }
    }
    let crash = Crash::now(&rig, id).await;
    let log = crash.recover(id).await;
    assert_eq!(
        log.outline(),
        ["user", "instruction_snapshot", "assistant", "turn_outcome"]
    );
    let answer = log.only("assistant");
    assert_eq!(
        answer["seq"],
        3 + 65_536 + 1,
        "behind the block of record 3"
    );
    let message = &answer["message"];
    assert_eq!(
        (&message["partial"], text(message, "stopReason")),
        (&true.into(), "interrupted")
    );
    assert_eq!(message["content"][0]["text"], "hm");
    assert_eq!(message["content"][1]["text"], "x".repeat(500));
    assert_eq!(message["content"][2], Value::Null, "calls are dropped");

    // The client was in the middle of the message: the recovered message takes its place.
    assert_eq!(
        text(answer, "id"),
        follower.view.open.messages[0].event_id.to_string()
    );
    let mut client = crash
        .rig
        .follow_from(id, follower.view, follower.anchors)
        .await;
    let start = client.until("sync_start").await;
    assert_eq!(start["mode"], "persistent_fallback");
    client.until("sync_end").await;
    assert!(client.view.open.is_empty());
    assert_eq!(client.view.tree, log.fold().tree);
}

#[tokio::test(start_paused = true)]
async fn reasoning_without_text_is_not_kept() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    let call = rig.model().await;
    call.thinking("hm").await;
    follower.until("thinking_delta").await;
    let crash = Crash::now(&rig, id).await;
    let log = crash.recover(id).await;
    assert_eq!(
        log.outline(),
        ["user", "instruction_snapshot", "turn_outcome"]
    );
    crash.rig.exchange(id, "and now?").await;
}

#[tokio::test(start_paused = true)]
async fn text_is_kept_without_reasoning_that_fits_no_record() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    let call = rig.model().await;
    for _ in 0..5 {
        call.thinking(&"x".repeat(1024 * 1024)).await;
        follower.until("thinking_delta").await;
    }
    call.text_in(1, "So it is.").await;
    follower.until("text_delta").await;
    let crash = Crash::now(&rig, id).await;
    let log = crash.recover(id).await;
    let kept = &log.only("assistant")["message"]["content"];
    assert_eq!(kept.as_array().map(Vec::len), Some(1));
    assert_eq!(kept[0]["text"], "So it is.");
    crash.rig.exchange(id, "and now?").await;
}

#[tokio::test(start_paused = true)]
async fn an_interrupted_turn_pauses_the_queue() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.begin(id, "one").await;
    let _call = rig.model().await;
    rig.say(id, "two").await;
    let crash = Crash::now(&rig, id).await;
    crash.recover(id).await;
    let session = crash.rig.lane(id).await.session().expect("there");
    assert!(session.queue_paused);
    assert_eq!(session.queue.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_crash_between_two_turns_does_not_stop_the_queue() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    let call = rig.model().await;
    rig.say(id, "two").await;
    call.answer("1").await;
    follower.outcome().await;
    rig.model().await.answer("2").await;
    follower.outcome().await;

    // The log as it was when the first outcome was its last record.
    let crashed = rig.crashed();
    let path = crashed.dir(id).join("events.jsonl");
    let log = std::fs::read_to_string(&path).expect("a log");
    let outcome = log.find("\"turn_outcome\"").expect("an outcome");
    let end = outcome + log[outcome..].find('\n').expect("a line") + 1;
    std::fs::write(&path, &log[..end]).expect("writable");

    crashed.lane(id).await;
    let call = crashed.model().await;
    let mut follower = crashed.follow(id).await;
    call.answer("2, now").await;
    assert_eq!(follower.outcome().await, "completed");
    let log = crashed.check(id).await;
    assert_eq!(log.all("user").len(), 2);
    assert_eq!(log.reasons(), ["completed", "completed"]);
}

#[tokio::test(start_paused = true)]
async fn a_record_that_was_written_in_part_is_moved_aside_and_the_turn_closed() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.begin(id, "go").await;
    rig.model().await.tools(&[("c1", "write")]).await;
    let run = rig.tool().await;
    let whole = rig.log(id);
    let last = whole.lines[whole.lines.len() - 1].len() + 1;
    for lost in [1, 2, 20, last / 2, last - 1] {
        let crashed = rig.crashed();
        let path = crashed.dir(id).join("events.jsonl");
        let len = std::fs::metadata(&path).expect("a log").len();
        let file = std::fs::OpenOptions::new()
            .write(true)
            .open(&path)
            .expect("writable");
        file.set_len(len - lost as u64).expect("cut");
        crashed.lane(id).await;
        let log = crashed.check(id).await;
        assert_eq!(log.reasons(), ["interrupted"]);
        let result = &log.only("tool_result")["message"]["content"][0]["content"][0];
        assert!(
            text(result, "text").starts_with("not started"),
            "its record was lost"
        );
    }
    run.end("done");
}

#[tokio::test(start_paused = true)]
async fn recovery_continues_after_a_crash_within_it() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.begin(id, "go").await;
    rig.model()
        .await
        .tools(&[("c1", "write"), ("c2", "write")])
        .await;
    let _run = rig.tool().await;
    let crash = Crash::now(&rig, id).await;
    let recovered = crash.recover(id).await;
    let before = rig.log(id).lines.len();
    for done in before..recovered.lines.len() {
        let partly = rig.crashed();
        let path = partly.dir(id).join("events.jsonl");
        let mut text = std::fs::read_to_string(&path).expect("a log");
        for line in &recovered.lines[before..done] {
            text.push_str(line);
            text.push('\n');
        }
        std::fs::write(&path, text).expect("writable");
        partly.lane(id).await;
        let log = partly.check(id).await;
        assert_eq!(log.outline(), recovered.outline());
    }
}
