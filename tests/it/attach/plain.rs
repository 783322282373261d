//! The interactive client in lines, for screen readers and pipes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use scorel_testkit::{DaemonUnderTest, ResponseGate, ScriptedChat};
use serde_json::json;

use super::{called, program, said, scene};
use crate::under_test::scorelctl;

const PATIENCE: Duration = Duration::from_secs(60);

/// The program with pipes in place of a terminal.
struct Piped {
    child: Child,
    input: Option<ChildStdin>,
    lines: mpsc::Receiver<String>,
    seen: Vec<String>,
}

impl Piped {
    fn start(daemon: &DaemonUnderTest) -> Self {
        let mut command = program(daemon, &["attach", "--plain"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in out.lines() {
                if sender.send(line.unwrap()).is_err() {
                    return;
                }
            }
        });
        Self {
            input: child.stdin.take(),
            child,
            lines,
            seen: Vec::new(),
        }
    }

    fn says(&mut self, line: &str) {
        writeln!(self.input.as_ref().unwrap(), "{line}").unwrap();
    }

    #[track_caller]
    fn until(&mut self, text: &str) {
        loop {
            let line = self.lines.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|_| panic!("not said: {text}; but {:#?}", self.seen));
            self.seen.push(line.clone());
            if line.contains(text) {
                return;
            }
        }
    }

    /// Waits until lines that were read, or will be, hold a text so many times.
    #[track_caller]
    fn until_times(&mut self, text: &str, times: usize) {
        let count = |seen: &[String]| seen.iter().filter(|it| it.contains(text)).count();
        while count(&self.seen) < times {
            let line = self.lines.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|_| panic!("not said: {text}; but {:#?}", self.seen));
            self.seen.push(line);
        }
    }

    fn end(mut self) -> Vec<String> {
        drop(self.input.take());
        assert!(self.child.wait().unwrap().success());
        let mut seen = std::mem::take(&mut self.seen);
        seen.extend(self.lines.iter());
        seen
    }
}

impl Drop for Piped {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_with_a_question_and_a_rewind_by_lines_only() {
    let input = json!({"path": "asked.txt", "content": "text"});
    let (daemon, _model) = scene([called("Write", &input), said("Written."), said("Other.")]).await;
    daemon.configure_more("[permissions]\nask = [\"Write(**)\"]\n");
    let mut piped = Piped::start(&daemon);
    piped.says("write it");
    piped.until("You:");
    piped.until("Write asks for permission");
    piped.until("content: text");
    piped.until("1. allow once");
    piped.until("/later");
    piped.says("maybe");
    piped.until("1 allows once");
    piped.says("1");
    piped.until("Agent:");
    piped.until("Written.");
    assert!(daemon.project().join("asked.txt").exists());
    piped.until("the turn has ended");
    piped.says("/status");
    piped.until("phase idle");
    piped.says("/rewind");
    piped.until("1. write it");
    piped.until("Type a number");
    piped.says("1");
    piped.until("1. the conversation only");
    piped.until("Type a number");
    piped.says("1");
    piped.until("went back");
    let lines = piped.end();
    let escapes = lines.iter().filter(|line| line.contains('\u{1b}'));
    assert_eq!(escapes.count(), 0, "{lines:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_queue_is_changed_by_lines_only() {
    let gate = scorel_testkit::ResponseGate::new();
    let first = scorel_testkit::ScriptedChat::default()
        .wait(&gate)
        .text("First.")
        .finish("stop");
    let (daemon, _model) = scene([first.into(), said("Second.")]).await;
    let mut piped = Piped::start(&daemon);
    piped.says("one");
    piped.until("> one");
    piped.says("two");
    piped.until("queued:");
    piped.says("three");
    piped.until("queued:");
    // The answer to a message and its event come on connections of their own.
    piped.until_times("a message was queued", 2);
    piped.says("/queue");
    piped.until("1. two follow-up");
    piped.until("2. three follow-up");
    piped.until("letter");
    piped.says("2 r");
    piped.says("/queue");
    piped.until("Queue:");
    piped.until("letter");
    piped.says("1 e");
    piped.until("takes its place");
    piped.says("two, but better");
    piped.until("is changed");
    gate.open();
    piped.until("First.");
    piped.until("> two, but better");
    piped.until("Second.");
    let lines = piped.end();
    assert!(
        !lines.iter().any(|line| line.contains("> three")),
        "{lines:#?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_detaches_and_the_turn_goes_on() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let gate = ResponseGate::new();
        let chat = ScriptedChat::default().text("Thinking").wait(&gate);
        let chat = chat.text(" is over.").finish("stop");
        let (daemon, _model) = scene([chat.into()]).await;
        let mut piped = Piped::start(&daemon);
        piped.says("begin");
        gate.reached().await;
        let pid = Pid::from_raw(piped.child.id().try_into().unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
        assert!(piped.child.wait().unwrap().success(), "{signal:?}");
        gate.open();
        assert!(scorelctl(&daemon, &["wait"], &[]).await.status.success());
        let shown = scorelctl(&daemon, &["show"], &[]).await.stdout;
        assert!(String::from_utf8_lossy(&shown).contains("Thinking is over."));
    }
}
