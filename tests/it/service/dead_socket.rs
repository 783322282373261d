//! A socket unit that is not there, with a `systemctl` that reads the states of units from files and leaves a
//! trace.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::under_test::{SCORELCTL, SCORELD};

struct Manager {
    user: tempfile::TempDir,
}

impl Manager {
    fn new() -> Self {
        let user = tempfile::tempdir().unwrap();
        let dir = user.path().display();
        let script = format!(
            "#!/bin/sh\n\
             echo \"$*\" >>{dir}/trace\n\
             for unit; do :; done\n\
             case \"$2 $4\" in\n\
             show-environment*) echo HOME={dir} ;;\n\
             'show UnitPath') echo {dir}/.config/systemd/user ;;\n\
             show*) cat {dir}/$unit ;;\n\
             start*) sed -i s/^ActiveState=.*/ActiveState=active/ {dir}/$unit ;;\n\
             stop*) sed -i s/^ActiveState=.*/ActiveState=inactive/ {dir}/$unit ;;\n\
             esac\n"
        );
        let program = user.path().join("systemctl");
        fs::write(&program, script).unwrap();
        fs::set_permissions(program, fs::Permissions::from_mode(0o700)).unwrap();
        Self { user }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.user.path().join(name)
    }

    /// Each with `UnitFileState` and `ActiveState`.
    fn units(&self, socket: [&str; 2], service: [&str; 2]) {
        for (name, [enabled, active]) in [("scoreld.socket", socket), ("scoreld.service", service)]
        {
            let state = format!(
                "LoadState=loaded\nUnitFileState={enabled}\nActiveState={active}\nSubState=x\nMainPID=0\n"
            );
            fs::write(self.path(name), state).unwrap();
        }
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let path = format!("{}:/usr/bin:/bin", self.user.path().display());
        let mut command = Command::new(SCORELCTL);
        command
            .env_clear()
            .env("SCORELD", SCORELD)
            .env("PATH", path);
        command.env("HOME", self.user.path()).args(arguments);
        command.output().unwrap()
    }

    fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// The check of the units, if there is one.
    fn examined(&self, home: &Path) -> Option<Value> {
        let output = self.run(&["doctor", "--json", "--home", home.to_str().unwrap()]);
        let object: Value = serde_json::from_slice(&output.stdout).unwrap();
        let mut checks = object["checks"].as_array().unwrap().iter();
        checks.find(|check| check["name"] == "service").cloned()
    }
}

#[test]
fn doctor_reports_it_for_the_default_home() {
    let manager = Manager::new();
    let (own, other) = (manager.path(".scorel"), manager.path("other"));
    for (socket, service, level) in [
        (["enabled", "active"], ["disabled", "inactive"], "ok"),
        (["enabled", "inactive"], ["disabled", "active"], "warn"),
        (["enabled", "failed"], ["disabled", "inactive"], "warn"),
        (["enabled", "active"], ["enabled", "inactive"], "ok"),
        (["enabled", "active"], ["disabled", "failed"], "warn"),
        (["disabled", "inactive"], ["disabled", "inactive"], "ok"),
    ] {
        manager.units(socket, service);
        let found = manager.examined(&own).unwrap();
        assert_eq!(found["level"], level, "{socket:?} {service:?} {found}");
        let hint = found["hint"].as_str().unwrap_or_default();
        assert_eq!(
            hint.contains("scorelctl service restart"),
            level == "warn",
            "{found}"
        );
        assert_eq!(manager.examined(&other), None);
    }
    fs::write(manager.path("scoreld.socket"), "LoadState=not-found\n").unwrap();
    assert_eq!(manager.examined(&own), None);
}

#[test]
fn install_tells_of_it_and_restart_revives_it() {
    let manager = Manager::new();
    manager.units(["enabled", "inactive"], ["disabled", "active"]);
    let said = manager.ok(&["service", "install"]);
    assert!(said.contains("the socket is not active"), "{said}");
    fs::remove_file(manager.path("trace")).unwrap();
    manager.ok(&["service", "restart"]);
    let trace = fs::read_to_string(manager.path("trace")).unwrap();
    let changes = trace
        .lines()
        .filter_map(|line| line.strip_prefix("--user st"));
    let changes: Vec<_> = changes.collect();
    let expected = [
        "op scoreld.service",
        "art scoreld.socket",
        "art scoreld.service",
    ];
    assert_eq!(changes, expected, "{trace}");
    let found = manager.examined(&manager.path(".scorel")).unwrap();
    assert_eq!(found["level"], "ok", "{found}");
}
