use std::fs;
use std::path::Path;
use std::process::Child;

use serde_json::Value;

use crate::packages::scripted_model::{CONFIG, ScriptedModel};
use crate::service::container::{Container, ended};

/// A container in which a package is installed for a user whose model the test plays.
pub(crate) struct Machine {
    pub(crate) container: Container,
    pub(crate) model: ScriptedModel,
}

impl Machine {
    pub(crate) fn boot(deb: &Path) -> Option<Self> {
        let container = Container::boot()?;
        for program in ["scoreld", "scorelctl"] {
            container.root_ok("rm", &[&format!("/usr/local/bin/{program}")]);
        }
        container.ok("mkdir", &["--mode=700", ".scorel", "project"]);
        container.ok("mkfifo", &["project/begun", "project/go"]);
        fs::write(container.file(".scorel/config.toml"), CONFIG).unwrap();
        let machine = Self {
            model: ScriptedModel::start(&container),
            container,
        };
        machine.install(deb);
        Some(machine)
    }

    pub(crate) fn install(&self, deb: &Path) {
        fs::copy(deb, self.container.file("scorel.deb")).unwrap();
        self.container
            .root_ok("dpkg", &["--install", "/home/ada/scorel.deb"]);
    }

    pub(crate) fn send(&self, text: &str) -> Child {
        let arguments = ["send", "--project", "project", text];
        self.container
            .command("scorelctl", &arguments)
            .spawn()
            .unwrap()
    }

    /// Has the model call a command that waits, and returns once it has begun.
    pub(crate) fn begin_command(&mut self) {
        let request = self.model.request();
        let command = "echo yes > begun; read line < go; echo \"went $line\"";
        self.model.call_bash(&request, command);
        assert_eq!(self.container.ok("cat", &["project/begun"]), "yes");
    }

    /// Lets the command go on; the turn then runs another one, and ends with this answer.
    pub(crate) fn finish_command(&mut self, turn: Child, answer: &str) {
        self.container.ok("sh", &["-c", "echo on > project/go"]);
        let request = self.model.request();
        assert!(request.last.contains("went on"), "{request:?}");
        self.model.call_bash(&request, "echo one more");
        let request = self.model.request();
        assert!(request.last.contains("one more"), "{request:?}");
        self.model.say(&request, answer);
        assert_answered(turn, answer);
    }

    pub(crate) fn sessions(&self) -> Vec<String> {
        let listed = self.container.scorelctl(&["--json", "sessions", "--all"]);
        let listed: Value = serde_json::from_str(&listed).unwrap();
        let rows = listed["sessions"].as_array().unwrap().iter();
        rows.map(|row| row["sessionId"].as_str().unwrap().to_owned())
            .collect()
    }

    /// The user's files with their modes and sums.
    pub(crate) fn files(&self) -> String {
        // But the index of the search, which the daemon writes when it has time, and what it found of the
        // sandbox, which is another program's after an upgrade.
        let script = "find . -path ./project -prune -o -name 'search.db*' -o -name sandbox-support -o \
                      -printf '%m %p ' \\( -type f -exec sha256sum {} \\; -o -printf '\\n' \\) | sort";
        self.container.ok("sh", &["-c", script])
    }

    /// The version that a program says it has.
    pub(crate) fn installed(&self) -> String {
        self.container.ok("scoreld", &["--version"])
    }
}

/// A turn that a client follows ends, and with this answer.
pub(crate) fn assert_answered(turn: Child, answer: &str) {
    let output = ended(turn);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains(answer),
        "{output:?}"
    );
}
