//! Programs that write and never pause, on each wire and in each phase: nothing else waits for them, their
//! limits hold, they can be cancelled, and nothing of them is left.

use std::time::Duration;

use libtest_mimic::Trial;
use scorel_engine::{Permission, RunnerDriver, RunnerStep, ToolCall, TurnStep};
use scorel_runner::{CommandOutput, WireKind};
use scorel_testkit::ACP_HANDSHAKE;
use tokio::time::{sleep, timeout};

use crate::probe::beside;
use crate::processes;
use crate::scripted::{runner, setup};
use crate::trial;
use crate::turn::{Bench, Turn};

/// The time that a program may take to be ready, and then to make progress.
const LIMIT: Duration = Duration::from_millis(300);

/// The time that the rest of its processes may take to end, on a busy machine.
const GONE: Duration = Duration::from_secs(30);

/// A wire, with the bash that gets a program to its first prompt, and through a turn.
#[derive(Debug, Clone, Copy)]
struct Wire {
    name: &'static str,
    kind: WireKind,
    handshake: &'static str,
    turn: &'static str,
}

const ACP: Wire = Wire {
    name: "acp",
    kind: WireKind::Acp,
    handshake: ACP_HANDSHAKE,
    turn: "end",
};

const CODEX: Wire = Wire {
    name: "codex",
    kind: WireKind::Codex,
    handshake: r#"
        read -r _; echo '{"id":1,"result":{"userAgent":"scorel/1 (x)"}}'; read -r _
        read -r _; echo '{"id":2,"result":{"account":{}}}'
        read -r _; echo '{"id":3,"result":{"thread":{"id":"t"}}}'; read -r _"#,
    turn: r#"
        echo '{"id":4,"result":{"turn":{"id":"u"}}}'
        echo '{"method":"turn/completed","params":{"threadId":"t","turn":{"id":"u","status":"completed"}}}'"#,
};

const CLAUDE: Wire = Wire {
    name: "claude_code",
    kind: WireKind::ClaudeCode,
    handshake: r#"
        read -r _; echo '{"type":"control_response","response":{"request_id":"scorel-initialize"}}'
        read -r _"#,
    turn: r#"echo '{"type":"result","subtype":"success"}'"#,
};

const TEXT: Wire = Wire {
    name: "text",
    kind: WireKind::Command(CommandOutput::Text),
    handshake: "",
    turn: "",
};

const EVENTS: Wire = Wire {
    name: "events",
    kind: WireKind::Command(CommandOutput::Events),
    ..TEXT
};

const ALL: [Wire; 5] = [ACP, CODEX, CLAUDE, TEXT, EVENTS];

/// Other output of a program: a name, a command, and the result of a turn with it.
const SHAPES: [(&str, &str, &str); 6] = [
    ("blank_lines", "yes ''", "runner_stalled"),
    ("answers_to_nothing", "yes '{\"id\":77}'", "runner_stalled"),
    ("half_messages", "yes '{\"id\":'", "runner_stalled"),
    ("one_endless_line", "cat /dev/zero", "runner_protocol"),
    (
        "unread_requests",
        "yes '{\"id\":5,\"method\":\"x\"}'",
        "cancelled",
    ),
    ("errors", "yes >&2", "cancelled"),
];

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for wire in ALL {
        let name = |phase: &str| format!("floods::{}_{phase}", wire.name);
        if !wire.handshake.is_empty() {
            trials.push(trial(name("in_the_handshake"), move || {
                tried(move || handshake(wire))
            }));
            trials.push(trial(name("cancelled_in_the_handshake"), move || {
                tried(move || cancelled(wire, ""))
            }));
        }
        trials.push(trial(name("in_a_turn"), move || {
            tried(move || in_turn(wire))
        }));
        trials.push(trial(name("cancelled_in_a_turn"), move || {
            tried(move || cancelled(wire, wire.handshake))
        }));
        // The turn of a plain command ends with its process.
        if !wire.handshake.is_empty() {
            trials.push(trial(name("after_its_turn"), move || {
                tried(move || released(wire))
            }));
        }
    }
    for (name, command, outcome) in SHAPES {
        let name = format!("floods::of_{name}");
        trials.push(trial(name, move || tried(move || shape(command, outcome))));
    }
    trials
}

/// Runs a test up to three times, until others wait no longer beside it than they may. A virtual machine that is
/// not given its processor runs on by the clock of the thread, too; a flood without pauses fails each time.
async fn tried<F>(test: impl Fn() -> F)
where
    F: Future<Output = Result<(), Duration>>,
{
    let mut waits = Vec::new();
    while waits.len() < 3 {
        match test().await {
            Ok(()) => return,
            Err(wait) => waits.push(wait),
        }
    }
    panic!("a program that floods delays others: {waits:?}");
}

/// A program that writes the flood after the rest of its script.
struct Flood {
    bench: Bench,
    canary: String,
}

impl Flood {
    fn new(wire: Wire, before: &str, command: &str) -> Self {
        let canary = processes::canary();
        let script = format!("{before}\n: {canary}\n{command}");
        let mut setup = setup(wire.kind, &["bash", "-c", &script]);
        // Only a flood instead of a handshake has to come up to it.
        setup.start_limit = if before.is_empty() { LIMIT } else { GONE };
        let mut bench = Bench::new(runner(setup), "/".as_ref());
        bench.idle = LIMIT;
        Self { bench, canary }
    }

    async fn turn(&mut self) -> Result<Turn, Duration> {
        beside(self.bench.turn("go", Permission::Granted)).await
    }

    /// A turn that is cancelled as soon as there is text: soon after that an answer has its greatest length.
    async fn turn_to_first_text(&mut self) -> Result<Turn, Duration> {
        let signal = self.bench.signal.clone();
        let cancel = |step: &RunnerStep, _: &mut RunnerDriver| {
            if matches!(step, RunnerStep::Turn(TurnStep::Event(_))) {
                signal.cancel();
            }
        };
        let ask = |_: &ToolCall| Some(Permission::Granted);
        beside(self.bench.turn_with("go", ask, cancel)).await
    }

    /// Waits until none of its processes is left.
    async fn ends(self) {
        drop(self.bench);
        let gone = async {
            while !processes::with(&self.canary).is_empty() {
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(GONE, gone).await.expect("it is ended");
    }
}

async fn handshake(wire: Wire) -> Result<(), Duration> {
    let mut flood = Flood::new(wire, "", "yes hello");
    let turn = flood.turn().await?;
    assert_eq!(turn.outcome(), "runner_stalled");
    let message = turn.end.error.unwrap().message;
    assert_eq!(message, "the runner was not ready after 0.3 s");
    flood.ends().await;
    Ok(())
}

async fn in_turn(wire: Wire) -> Result<(), Duration> {
    let mut flood = Flood::new(wire, wire.handshake, "yes hello");
    let turn = flood.turn().await?;
    // The output of a plain command is its answer, which has a limit of its own.
    let expected = if wire.name == TEXT.name {
        "answer"
    } else {
        "runner_stalled"
    };
    assert_eq!(turn.outcome(), expected);
    flood.ends().await;
    Ok(())
}

async fn cancelled(wire: Wire, before: &str) -> Result<(), Duration> {
    let mut flood = Flood::new(wire, before, "yes hello");
    flood.bench.idle = GONE;
    flood.bench.cancel = Duration::from_millis(50);
    let turn = if wire.name == TEXT.name {
        flood.turn_to_first_text().await?
    } else {
        cancel_soon(&flood.bench);
        flood.turn().await?
    };
    assert_eq!(turn.outcome(), "cancelled");
    flood.ends().await;
    Ok(())
}

fn cancel_soon(bench: &Bench) {
    let signal = bench.signal.clone();
    tokio::spawn(async move {
        sleep(Duration::from_millis(100)).await;
        signal.cancel();
    });
}

/// A process that is kept, and floods until it is ended.
async fn released(wire: Wire) -> Result<(), Duration> {
    let before = format!("{}\n{}", wire.handshake, wire.turn);
    let mut flood = Flood::new(wire, &before, "yes hello");
    flood.bench.idle = GONE;
    let turn = flood.turn().await?;
    assert_eq!(turn.outcome(), "completed", "{:?}", turn.end);
    beside(flood.bench.release()).await?;
    flood.ends().await;
    Ok(())
}

async fn shape(command: &str, outcome: &str) -> Result<(), Duration> {
    let mut flood = Flood::new(ACP, ACP.handshake, command);
    if outcome != "runner_stalled" {
        flood.bench.idle = GONE;
    }
    if outcome == "cancelled" {
        // It is alive, for all that can be told.
        flood.bench.cancel = Duration::from_millis(50);
        cancel_soon(&flood.bench);
    }
    assert_eq!(flood.turn().await?.outcome(), outcome);
    flood.ends().await;
    Ok(())
}
