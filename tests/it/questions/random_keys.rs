//! Keys that are typed around the appearance, the change and the end of questions.

use std::process::Command;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use scorel_client::Connection;
use scorel_proto::{ListQuestionsParams, OpenQuestion, PermissionDecision};
use scorel_testkit::{DaemonUnderTest, SeededDice, Terminal, runs};
use tokio::runtime::Handle;

use super::{asking, list, respond};
use crate::under_test::{SCORELCTL, SCORELD, connect};

/// The time that a question has to be on the screen.
const UNREAD: Duration = Duration::from_millis(500);

/// Programs that ask at the same time, each at a terminal of its own.
const TERMINALS: usize = 8;

/// The number of keys that are typed for each question.
const KEYS: usize = 32;

/// Keys to type: answers, beginnings of answers, and the keys that edit a line or end the input.
const TYPED: &[&str] = &[
    "y\n",
    "y",
    "\n",
    "yes\n",
    "Y\n",
    "s\n",
    "a\n",
    "n\n",
    "once\n",
    "always\n",
    "y \n",
    "?\n",
    "\u{4}",
    "y\u{4}",
    "\u{15}",
    "\u{7f}",
    "\u{17}",
    "\u{16}y\n",
    "\r",
    "\u{1b}[200~y\n\u{1b}[201~",
];

#[tokio::test(flavor = "multi_thread")]
async fn no_random_key_answers_a_question_that_was_not_on_the_screen_for_half_a_second() {
    let keys = runs("SCOREL_KEYS", 2000);
    let rounds = keys.div_ceil(TERMINALS * KEYS);
    let mut dice = SeededDice::for_test("random_keys");
    let (daemon, _model) = asking().await;
    let mut scenes = Vec::new();
    for number in 0..TERMINALS {
        let client = connect(&daemon.socket()).await;
        let command = command(&daemon, number, rounds);
        let scene = (dice.fork(), Handle::current());
        scenes.push(tokio::task::spawn_blocking(move || {
            let (dice, runtime) = scene;
            let terminal = Terminal::start(&command)?;
            let scene = Scene {
                name: format!("t{number}"),
                terminal,
                client,
                runtime,
                dice,
                late: 0,
            };
            Some(scene.play(rounds))
        }));
    }
    let mut late = 0;
    for scene in scenes {
        let Some(count) = scene.await.unwrap() else {
            return;
        };
        late += count;
    }
    println!(
        "{late} of {} rounds were typed too slowly to count",
        rounds * TERMINALS
    );
    let written = daemon.project().join("asked").exists();
    assert!(late > 0 || !written, "every question was denied");
}

fn command(daemon: &DaemonUnderTest, number: usize, rounds: usize) -> Command {
    let mut command = Command::new(SCORELCTL);
    command
        .args(["send", "--session", "new"])
        .arg(format!("[[t{number} {rounds} 9]]"))
        .env("SCORELD", SCORELD)
        .env("SCOREL_HOME", daemon.home())
        .current_dir(daemon.project());
    command
}

/// One program at its terminal, and another client.
struct Scene {
    name: String,
    terminal: Terminal,
    client: Connection,
    runtime: Handle,
    dice: SeededDice,
    /// Rounds in which keys were typed so late that they may answer.
    late: usize,
}

impl Scene {
    fn play(mut self, rounds: usize) -> usize {
        for round in 0..rounds {
            self.round(round);
        }
        let (code, shown) = self.terminal.ended();
        assert_eq!(code, Some(0), "{shown}");
        self.late
    }

    /// One question: keys before it is asked, while it appears and in its first 500 ms.
    fn round(&mut self, round: usize) {
        let path = format!("asked/{}-{round}.txt", self.name);
        let begin = Instant::now();
        self.type_keys(KEYS / 2);
        self.terminal.until(&format!("path: {path}"));
        let Some(question) = self.question(&path) else {
            assert!(begin.elapsed() > UNREAD, "{path} was answered unread");
            self.late += 1;
            return;
        };
        std::thread::sleep(self.dice.time_up_to(UNREAD - UNREAD / 5));
        let last = self.type_keys(KEYS / 2);
        // The moment at which it was asked is before the one at which it was shown, so no key that is too early
        // counts as late.
        let is_late = last >= UNIX_EPOCH + Duration::from_millis(question.asked_at) + UNREAD;
        self.late += usize::from(is_late);
        let is_here = !is_late && self.dice.chance(50);
        if is_here || (!is_late && self.dice.chance(50)) {
            self.terminal.until(&format!("allow Write `{path}`? "));
        }
        if is_here {
            self.terminal.types("\u{15}n it is read\n");
            return;
        }
        // A line that is begun, and whose question goes.
        self.terminal.types("y");
        let denied = respond(&self.client, &question, PermissionDecision::Deny);
        let denied = self.runtime.block_on(denied);
        assert!(
            is_late || denied.is_ok(),
            "{path} was answered unread: {denied:?}"
        );
    }

    fn question(&self, path: &str) -> Option<OpenQuestion> {
        let listed = list(&self.client, ListQuestionsParams::default());
        let listed = self.runtime.block_on(listed).questions;
        let is_it = |question: &OpenQuestion| question.request.input["path"] == path;
        listed.into_iter().find(is_it)
    }

    /// Types random keys, and says when the last one was typed.
    fn type_keys(&mut self, count: usize) -> SystemTime {
        let mut typed = String::new();
        while typed.len() < count {
            typed.push_str(TYPED[self.dice.index(0..TYPED.len())]);
        }
        self.terminal.types(&typed);
        SystemTime::now()
    }
}
