//! A daemon that was started by hand, and a service that takes its place.

use std::collections::BTreeSet;
use std::process::{Child, Output};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::container::{Container, ended};

/// How long a takeover may take on a busy machine. What it has taken is printed: normally below 25 s.
const TAKEOVER: Duration = Duration::from_secs(120);

fn pid(container: &Container) -> String {
    let status: Value = serde_json::from_str(&container.scorelctl(&["--json", "status"])).unwrap();
    status["pid"].to_string()
}

fn sessions(container: &Container) -> BTreeSet<String> {
    let listed = container.scorelctl(&["--json", "sessions", "--all"]);
    let rows = listed.lines().flat_map(|line| {
        let value: Value = serde_json::from_str(line).unwrap();
        let rows = value["sessions"].as_array().cloned();
        rows.unwrap_or_else(|| vec![value])
    });
    rows.map(|row| row["sessionId"].as_str().unwrap().to_owned())
        .collect()
}

/// A container with units that nothing has started, and a daemon that was started by hand with a session.
struct ByHand {
    container: Container,
    pid: String,
    session: String,
}

impl ByHand {
    fn start() -> Option<Self> {
        let container = Container::boot()?;
        container.scorelctl(&["service", "install"]);
        container.systemctl(&["disable", "--now", "scoreld.socket"]);
        container.ok("scoreld", &["--daemonize"]);
        container.scorelctl(&["send", "The first message"]);
        let sessions = sessions(&container);
        assert_eq!(sessions.len(), 1);
        let by_hand = Self {
            pid: pid(&container),
            session: sessions.into_iter().next().unwrap(),
            container,
        };
        assert_eq!(by_hand.container.property("ActiveState"), "inactive");
        Some(by_hand)
    }

    /// Follows the session from its first event.
    fn follow(&self) -> Child {
        let arguments = [
            "--json",
            "tail",
            "--session",
            &self.session,
            "--from-seq",
            "1",
        ];
        self.container
            .command("scorelctl", &arguments)
            .spawn()
            .unwrap()
    }

    /// Sends messages while something happens.
    fn send_meanwhile(&self) -> Vec<Child> {
        let send = |n| {
            let text = format!("message {n}");
            let arguments = ["send", "--session", &self.session, &text];
            self.container.command("scorelctl", &arguments).spawn()
        };
        (0..3).map(|n| send(n).unwrap()).collect()
    }

    /// Ends a follower once it has printed the last record of the log; everything that the log has must
    /// have been printed once.
    fn assert_complete(&self, follower: Child) {
        let path = format!(".scorel/sessions/{}/events.jsonl", self.session);
        let log = self.container.ok("cat", &[&path]);
        let seqs = |text: &str| -> Vec<u64> {
            let values = text.lines().filter_map(|line| {
                let value: Value = serde_json::from_str(line).ok()?;
                value["id"].as_str()?;
                value["seq"].as_u64()
            });
            values.collect()
        };
        let written = seqs(&log);
        let last = *written.last().unwrap();
        let printed = seqs(&printed_until(follower, last));
        assert_eq!(printed, written);
        assert!(written.len() > 10, "{written:?}");
    }
}

/// Reads what a follower prints up to an event, and ends it.
fn printed_until(mut follower: Child, last: u64) -> String {
    use std::io::{BufRead as _, BufReader};

    let mut text = String::new();
    let _deadline = scorel_testkit::Deadline::of(&follower);
    for line in BufReader::new(follower.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        let value: Value = serde_json::from_str(&line).unwrap();
        text.push_str(&line);
        text.push('\n');
        if value["seq"] == last {
            break;
        }
    }
    follower.kill().unwrap();
    follower.wait().unwrap();
    text
}

fn succeeded(children: Vec<Child>) {
    for child in children {
        let output: Output = ended(child);
        assert!(output.status.success(), "{output:?}");
    }
}

#[test]
fn a_service_that_is_started_takes_over_and_no_client_loses_anything() {
    let Some(by_hand) = ByHand::start() else {
        return;
    };
    let container = &by_hand.container;
    let follower = by_hand.follow();
    let messages = by_hand.send_meanwhile();
    let began = Instant::now();
    container.systemctl(&["start", "scoreld"]);
    let took = began.elapsed();
    println!("the service was active after {took:?}");
    assert!(took < TAKEOVER, "{took:?}");
    assert_eq!(container.property("ActiveState"), "active");
    assert_eq!(pid(container), container.property("MainPID"));
    assert_ne!(pid(container), by_hand.pid);
    succeeded(messages);
    container.scorelctl(&["send", "--session", &by_hand.session, "The last message"]);
    assert_eq!(
        sessions(container),
        BTreeSet::from([by_hand.session.clone()])
    );
    by_hand.assert_complete(follower);
}

#[test]
fn a_socket_unit_takes_over_and_no_client_loses_anything() {
    let Some(by_hand) = ByHand::start() else {
        return;
    };
    let container = &by_hand.container;
    let follower = by_hand.follow();
    let messages = by_hand.send_meanwhile();
    let began = Instant::now();
    container.systemctl(&["enable", "--now", "scoreld.socket"]);
    container.scorelctl(&["send", "--session", &by_hand.session, "The last message"]);
    let took = began.elapsed();
    println!("the next message was answered after {took:?}");
    println!("{}", container.ok("sh", &["-c", "cat .scorel/logs/*"]));
    println!("{}", container.systemctl(&["status", "scoreld.socket"]));
    println!(
        "{}",
        container.ok("journalctl", &["--user", "--output=short-precise"])
    );
    assert!(took < TAKEOVER, "{took:?}");
    assert_eq!(container.property("ActiveState"), "active");
    assert_eq!(pid(container), container.property("MainPID"));
    succeeded(messages);
    assert_eq!(
        sessions(container),
        BTreeSet::from([by_hand.session.clone()])
    );
    by_hand.assert_complete(follower);
}

#[test]
fn an_installation_takes_over_at_once() {
    let Some(by_hand) = ByHand::start() else {
        return;
    };
    let container = &by_hand.container;
    let installed = container.scorelctl(&["--json", "service", "install"]);
    let installed: Value = serde_json::from_str(&installed).unwrap();
    assert_eq!(
        installed["tookOver"].to_string(),
        by_hand.pid,
        "{installed}"
    );
    assert_eq!(pid(container), container.property("MainPID"));
    assert_eq!(
        container.systemctl(&["is-active", "scoreld.socket"]),
        "active"
    );
    assert_eq!(
        sessions(container),
        BTreeSet::from([by_hand.session.clone()])
    );
}

#[test]
fn a_silent_daemon_keeps_its_home_and_the_start_fails() {
    let Some(by_hand) = ByHand::start() else {
        return;
    };
    let container = &by_hand.container;
    container.signal("-STOP", &by_hand.pid);
    let began = Instant::now();
    let output = container.run("systemctl", &["--user", "start", "scoreld"]);
    println!("the start failed after {:?}", began.elapsed());
    assert!(!output.status.success(), "{output:?}");
    assert_eq!(container.property("ExecMainStatus"), "69");
    assert_eq!(container.property("NRestarts"), "0");
    let log = container.scorelctl(&["service", "logs"]);
    assert!(
        log.contains(&format!("another scoreld (pid {})", by_hand.pid)),
        "{log}"
    );
    container.signal("-CONT", &by_hand.pid);
    assert_eq!(pid(container), by_hand.pid);
}

#[test]
fn of_many_starts_at_once_one_daemon_is_left() {
    let Some(by_hand) = ByHand::start() else {
        return;
    };
    let container = &by_hand.container;
    let start = |n| match n % 2 {
        0 => container.command("systemctl", &["--user", "start", "scoreld"]),
        _ => container.command("scoreld", &["--daemonize"]),
    };
    let began = Instant::now();
    let starts = (0..20).map(|n| start(n).spawn().unwrap()).collect();
    succeeded(starts);
    println!("twenty starts took {:?}", began.elapsed());
    let serving = container.property("MainPID");
    assert_eq!(pid(container), serving);
    let daemons = container.ok("pgrep", &["--exact", "scoreld"]);
    let mains = daemons.lines().filter(|pid| {
        let path = format!("/proc/{pid}/cmdline");
        !container.ok("cat", &[&path]).contains("--supervise")
    });
    assert_eq!(mains.collect::<Vec<_>>(), [&*serving]);
}
