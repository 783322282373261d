use std::process::{Command, Stdio};

use scorel_testkit::Deadline;

use crate::daemon::{TestHome, ended, output};

struct Background(TestHome);

impl Background {
    fn new() -> Self {
        Self(TestHome::new())
    }

    /// The test leaves the standard streams unread: it would not notice a daemon that kept them.
    fn command(&self) -> Command {
        let mut command = self.0.command();
        command.arg("--daemonize");
        command
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.0.stop_background();
    }
}

#[test]
fn the_caller_returns_when_the_daemon_accepts_connections() {
    let background = Background::new();
    // Also shows that the daemon let go of the streams: they are read to their end.
    let (code, text) = ended(&output(&mut background.command()));
    assert_eq!((code, text.as_str()), (Some(0), ""));
    background.0.connect().unwrap();
    let again = output(&mut background.command());
    assert_eq!(again.status.code(), Some(0));
    background.0.connect().unwrap();
    background.0.stop_background();
    assert!(background.0.connect().is_err());
    assert!(!background.0.path("scoreld.sock").exists());
}

#[test]
fn of_many_callers_at_once_all_find_the_one_daemon() {
    let background = Background::new();
    let callers: Vec<_> = (0..8)
        .map(|_| {
            let mut command = background.command();
            command.stdout(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for caller in callers {
        let _deadline = Deadline::of(&caller);
        let (code, text) = ended(&caller.wait_with_output().unwrap());
        assert_eq!(code, Some(0), "{text}");
        background.0.connect().unwrap();
    }
    let ready = background.0.message();
    assert!(ready.starts_with("READY=1\n"), "{ready}");
    background.0.stop_background();
    // No other daemon was ready in between.
    assert!(background.0.message().starts_with("STOPPING=1\n"));
}

#[test]
fn the_caller_learns_why_there_is_no_daemon() {
    let background = Background::new();
    background
        .0
        .write("config.toml", "[runtime]\nmaxSteps = 0\n");
    let (code, text) = ended(&output(&mut background.command()));
    assert_eq!(code, Some(78), "{text}");
    let reason = "config.toml:2:12: `runtime.maxSteps`";
    assert!(text.contains(reason), "{text}");
    assert!(background.0.connect().is_err());
    // If a client or a service manager has started it, the log is where the reason stays.
    let mut logs = std::fs::read_dir(background.0.path("logs")).unwrap();
    let log = std::fs::read_to_string(logs.next().unwrap().unwrap().path()).unwrap();
    let end = log.lines().last().unwrap_or_default();
    assert!(end.contains("ERROR") && end.contains(reason), "{log}");
}
