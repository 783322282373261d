use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::under_test::PATIENCE;

/// A window of tmux with a program in it. Its server is its own.
pub(super) struct Tmux {
    socket: PathBuf,
}

impl Tmux {
    /// `None`, with a remark, where tmux is not installed.
    pub(super) fn open(
        program: &Command,
        socket: PathBuf,
        columns: u16,
        rows: u16,
    ) -> Option<Self> {
        if Command::new("tmux").arg("-V").output().is_err() {
            assert!(std::env::var_os("CI").is_none(), "tmux is not installed");
            println!("skipped: tmux is not installed");
            return None;
        }
        let tmux = Self { socket };
        let size = [columns.to_string(), rows.to_string()];
        let mut command = Command::new("tmux");
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("LANG", "C.UTF-8")
            .args(["-f", "/dev/null", "-S"])
            .arg(&tmux.socket)
            .args(["set-option", "-g", "history-limit", "20000", ";"])
            .args(["set-option", "-g", "remain-on-exit", "on", ";"])
            .args(["new-session", "-d", "-x", &size[0], "-y", &size[1], "--"])
            .arg("env");
        for (name, value) in program.get_envs() {
            let mut pair = name.to_os_string();
            pair.push("=");
            pair.push(value.unwrap());
            command.arg(pair);
        }
        command
            .arg(program.get_program())
            .args(program.get_args())
            .current_dir(program.get_current_dir().unwrap());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        Some(tmux)
    }

    pub(super) fn resize(&self, columns: u16, rows: u16) {
        let (columns, rows) = (columns.to_string(), rows.to_string());
        self.run(&["resize-window", "-x", &columns, "-y", &rows]);
    }

    /// Presses keys, named as tmux does.
    pub(super) fn press(&self, keys: &[&str]) {
        self.run(&[&["send-keys", "--"], keys].concat());
    }

    /// Types a text and presses Enter until it is sent: one that comes directly after other keys is a line break.
    #[track_caller]
    pub(super) fn says(&self, text: &str) {
        self.run(&["send-keys", "-l", "--", text]);
        let is_composed = |screen: &str| {
            let mut composed = screen.lines().skip_while(|row| !row.starts_with("────"));
            composed.any(|row| row.contains(text))
        };
        self.until_it(text, is_composed);
        let until = Instant::now() + PATIENCE;
        while is_composed(&self.screen()) {
            assert!(Instant::now() < until, "not sent:\n{}", self.screen());
            self.press(&["Enter"]);
            let tried = Instant::now() + Duration::from_secs(1);
            while is_composed(&self.screen()) && Instant::now() < tried {
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }

    #[track_caller]
    pub(super) fn until(&self, text: &str) {
        self.until_it(text, |screen| screen.contains(text));
    }

    #[track_caller]
    pub(super) fn until_it(&self, wanted: &str, is_so: impl Fn(&str) -> bool) {
        poll(wanted, || self.screen(), is_so);
    }

    /// Waits until a text is on the screen or was: of a low window a card leaves little.
    #[track_caller]
    pub(super) fn until_ever(&self, text: &str) {
        poll(text, || self.all(), |rows| rows.contains(text));
    }

    /// The text on the screen.
    pub(super) fn screen(&self) -> String {
        self.run(&["capture-pane", "-p"])
    }

    /// All rows, those above the screen too.
    pub(super) fn all(&self) -> String {
        self.run(&["capture-pane", "-p", "-S", "-"])
    }

    /// Runs a command of tmux.
    pub(super) fn run(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("tmux");
        let command = command.arg("-S").arg(&self.socket).args(arguments);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

#[track_caller]
fn poll(wanted: &str, shown: impl Fn() -> String, is_so: impl Fn(&str) -> bool) {
    let until = Instant::now() + PATIENCE;
    loop {
        let shown = shown();
        if is_so(&shown) {
            return;
        }
        assert!(
            Instant::now() < until,
            "not so: {wanted}; it shows\n{shown}"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

impl Drop for Tmux {
    /// Ends the program too.
    fn drop(&mut self) {
        let _ended = Command::new("tmux")
            .arg("-S")
            .arg(&self.socket)
            .arg("kill-server")
            .output();
    }
}
