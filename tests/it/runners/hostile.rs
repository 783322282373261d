//! Programs that break every rule, one after the other below one daemon: each turn ends as it should, the
//! next one works, and the memory of the daemon is bounded.
//!
//! `SCOREL_RUNNER_LOG_MIB` says how much one writes to its error output.

use std::path::Path;

use scorel_client::Connection;
use scorel_proto::SessionId;
use scorel_testkit::{ACP_HANDSHAKE, DaemonUnderTest, HOSTILE_ACP, ModelServer, runs};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::double::{acp, script_runner};
use super::{processes, send_to};
use crate::under_test::{Watch, daemon, new_session};

/// How much more memory the daemon may take than before the first of them.
const MAX_GROWTH_KIB: u64 = 32 * 1024;

/// A program, and what its turn leads to.
struct Hostile {
    name: &'static str,
    kind: &'static str,
    script: String,
    keys: &'static str,
    /// The code of the turn's error, or its reason.
    outcome: &'static str,
    /// The end of the answer.
    text: &'static str,
    /// A part of the log.
    log: &'static str,
}

impl Hostile {
    fn command(
        name: &'static str,
        script: &str,
        outcome: &'static str,
        text: &'static str,
    ) -> Self {
        Self {
            name,
            kind: "command",
            script: script.to_owned(),
            keys: "trustOwn = true",
            outcome,
            text,
            log: "",
        }
    }

    fn events(name: &'static str, script: &str, outcome: &'static str, text: &'static str) -> Self {
        Self {
            keys: "trustOwn = true\noutput = \"events\"",
            ..Self::command(name, script, outcome, text)
        }
    }

    fn acp(name: &'static str, script: &str, outcome: &'static str, text: &'static str) -> Self {
        Self {
            name,
            kind: "acp",
            script: format!("{ACP_HANDSHAKE}\n{script}\ncat >/dev/null"),
            keys: "",
            outcome,
            text,
            log: "",
        }
    }

    fn log(mut self, log: &'static str) -> Self {
        self.log = log;
        self
    }

    fn config(&self, home: &Path) -> String {
        let home = json!(home);
        let keys = format!("{}\nenv = {{ HOME = {home} }}", self.keys);
        script_runner(self.name, self.kind, &self.script, &keys)
    }
}

/// One call, and 100,000 updates of it.
const MANY_UPDATES: &str = r#"
update '{"sessionUpdate":"tool_call","toolCallId":"c","title":"t"}'
line='{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"content","content":{"type":"text","text":"x"}}]}}}'
yes "$line" | head -n 100000
update '{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}'; say done; end"#;

fn all() -> Vec<Hostile> {
    let shared = HOSTILE_ACP
        .iter()
        .map(|row| Hostile::acp(row.name, row.script, row.outcome, row.text).log(row.log));
    let mib = runs("SCOREL_RUNNER_LOG_MIB", 64);
    let flood = format!("head -c {mib}M /dev/zero | tr '\\0' e >&2; echo done");
    let own = [
        Hostile::acp("many-updates", MANY_UPDATES, "completed", "done"),
        Hostile::acp(
            "output-after-the-end",
            "say one; end; for i in {1..1000}; do say late; done",
            "completed",
            "one",
        ),
        Hostile::command(
            "text-that-is-none",
            "printf 'a\\xff\\xfeb\\xc3'",
            "completed",
            "a\u{fffd}\u{fffd}b\u{fffd}",
        ),
        Hostile::command(
            "held-pipes",
            "sleep 4000 & setsid sleep 4000 & echo hi",
            "completed",
            "hi\n",
        ),
        Hostile::command(
            "late-output",
            "cat >/dev/null; exec 0<&-; echo late",
            "completed",
            "late\n",
        ),
        Hostile::command("flood-of-errors", &flood, "completed", "done\n").log("eeee"),
        Hostile::events(
            "events-without-an-end",
            "exec tr '\\0' x </dev/zero",
            "runner_protocol",
            "",
        ),
        Hostile::events(
            "events-that-are-none",
            "echo '{\"type\":\"dance\"}'; echo '[]'; printf '\\xff\\n'",
            "completed",
            "",
        )
        .log("dance"),
        Hostile::events("calls-of-one-id", ONE_ID, "runner_protocol", ""),
        Hostile::events("a-result-of-no-call", NO_CALL, "completed", "one"),
    ];
    shared.chain(own).collect()
}

const ONE_ID: &str = r#"for i in 1 2; do echo '{"type":"claude_message","messageType":"assistant","raw":{"message":{"content":[{"type":"tool_use","id":"c","name":"t","input":{}}]}}}'; done"#;

const NO_CALL: &str = r#"echo '{"type":"claude_message","messageType":"user","raw":{"message":{"content":[{"type":"tool_result","tool_use_id":"none","content":"x"}]}}}'; echo '{"type":"text","text":"one"}'"#;

#[tokio::test]
async fn a_daemon_survives_programs_that_break_every_rule() {
    let model = ModelServer::start().await.unwrap();
    let home = TempDir::new().unwrap();
    let all = all();
    let good = acp(
        "good",
        &format!("{ACP_HANDSHAKE}\nsay fine; end; cat >/dev/null"),
        "",
    );
    let configs = all.iter().map(|it| it.config(home.path()));
    let config: String = configs.chain([good]).collect();
    let daemon = daemon(&model, &config).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    works((&client, id, &mut watch), "before").await;
    for hostile in &all {
        let before = daemon.resident_kib();
        daemon.reset_peak();
        send_to(&client, id, hostile.name, "go").await;
        let turn = Turn::read(&mut watch).await;
        check(hostile, &turn, &daemon, id);
        let peak = daemon.peak_kib();
        println!(
            "{}: {} events, peak {:+} KiB, then {:+} KiB",
            hostile.name,
            turn.events,
            peak.cast_signed() - before.cast_signed(),
            daemon.resident_kib().cast_signed() - before.cast_signed(),
        );
        let growth = peak.saturating_sub(before);
        assert!(
            growth <= MAX_GROWTH_KIB,
            "{} took {growth} KiB",
            hostile.name
        );
        works((&client, id, &mut watch), hostile.name).await;
        // Those that are kept end here: another runner has had the turn.
        processes::wait_until_gone(home.path());
    }
}

/// The answer is kept up to its limit, which is more than this daemon may grow above.
#[tokio::test]
async fn an_answer_without_an_end_reaches_its_limit() {
    let model = ModelServer::start().await.unwrap();
    let keys = "trustOwn = true";
    let endless = script_runner("endless", "command", "exec tr '\\0' x </dev/zero", keys);
    let good = acp(
        "good",
        &format!("{ACP_HANDSHAKE}\nsay fine; end; cat >/dev/null"),
        "",
    );
    let daemon = daemon(&model, &(endless + &good)).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send_to(&client, id, "endless", "go").await;
    let turn = Turn::read(&mut watch).await;
    assert_eq!(turn.of("turn_outcome")[0]["reason"], "limit");
    assert_eq!(turn.outcome(), "answer");
    assert!(turn.text().len() <= 16 * 1024 * 1024);
    works((&client, id, &mut watch), "endless").await;
}

fn check(hostile: &Hostile, turn: &Turn, daemon: &DaemonUnderTest, id: SessionId) {
    let name = hostile.name;
    assert_eq!(
        turn.outcome(),
        hostile.outcome,
        "{name}: {:?}",
        turn.records
    );
    let text = turn.text();
    assert!(text.ends_with(hostile.text), "{name}: {text}");
    let exits = turn.of("runner_exit");
    assert_eq!(exits.len(), 1, "{name}");
    let log = exits[0]["log"]["blob"]
        .as_str()
        .map_or_else(String::new, |blob| {
            let all = super::disk::below(&daemon.session_dir(&id.to_string()));
            let found = all.into_iter().find(|(name, _)| name.contains(blob));
            found.expect("the blob").1
        });
    assert!(log.contains(hostile.log), "{name}: {log}");
    assert!(log.len() <= 256 * 1024 + 8, "{name}: {}", log.len());
}

/// The next turn of the session.
async fn works((client, id, watch): (&Connection, SessionId, &mut Watch), after: &str) {
    send_to(client, id, "good", "go").await;
    let turn = Turn::read(watch).await;
    assert_eq!(turn.outcome(), "completed", "{after}: {:?}", turn.records);
    assert_eq!(turn.text(), "fine", "{after}");
}

/// The records of a turn, which had any number of events.
struct Turn {
    records: Vec<Value>,
    events: usize,
}

impl Turn {
    async fn read(watch: &mut Watch) -> Self {
        let mut turn = Self {
            records: Vec::new(),
            events: 0,
        };
        loop {
            let event = watch.next().await;
            turn.events += 1;
            let is_last = event["type"] == "turn_outcome";
            if event["id"].is_string() {
                turn.records.push(event);
            }
            if is_last {
                return turn;
            }
        }
    }

    fn of(&self, type_name: &str) -> Vec<&Value> {
        let all = self.records.iter();
        all.filter(|record| record["type"] == type_name).collect()
    }

    fn outcome(&self) -> &str {
        let outcome = self.of("turn_outcome")[0];
        let code = outcome["error"]["code"].as_str();
        code.unwrap_or_else(|| outcome["reason"].as_str().unwrap())
    }

    /// The text of the agent's messages.
    fn text(&self) -> String {
        let messages = self.of("message").into_iter().map(|it| &it["message"]);
        let blocks = messages
            .filter(|message| message["role"] == "assistant")
            .flat_map(|message| message["content"].as_array().unwrap());
        blocks.filter_map(|block| block["text"].as_str()).collect()
    }
}
