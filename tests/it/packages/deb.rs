//! The package for Debian and its kin: what it contains, and a daemon that runs while it is installed,
//! upgraded and removed.

mod later;
mod machine;

use std::fs;

use serde_json::Value;

use later::later_package;
use machine::{Machine, assert_answered};

use super::contents::PackageContents;
use super::{package, printed, run};

#[test]
fn the_deb_has_its_files_in_their_places_and_runs_nothing() {
    let Some(deb) = package(".deb") else {
        return;
    };
    let deb = deb.to_str().unwrap();
    let Some(listing) = printed("dpkg-deb", &["--contents", deb]) else {
        return;
    };
    let files: Vec<&str> = listing
        .lines()
        .filter(|line| !line.starts_with('d'))
        .collect();
    assert!(files.iter().all(|line| line.contains(" 0/0 ")));
    let contents = PackageContents::parse(&files.join("\n"), "./usr/");
    assert_eq!(
        contents.others("lib/systemd/user", "zsh/vendor-completions"),
        [
            "-rw-r--r-- share/doc/scorel/changelog.Debian.gz",
            "-rw-r--r-- share/doc/scorel/changelog.gz",
            "-rw-r--r-- share/doc/scorel/copyright",
        ]
    );
    let control = tempfile::tempdir().unwrap();
    printed(
        "dpkg-deb",
        &["--control", deb, control.path().to_str().unwrap()],
    );
    let files = fs::read_dir(&control).unwrap();
    let files: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
    assert_eq!(files, ["control"], "no scripts");
    if let Some(checked) = run("lintian", &["--fail-on", "error", deb]) {
        let text = String::from_utf8_lossy(&checked.stdout);
        println!("{text}");
        assert!(checked.status.success(), "{text}");
    }
}

#[test]
fn a_daemon_outlives_the_upgrade_and_the_removal_of_its_package() {
    let Some(deb) = package(".deb") else {
        return;
    };
    let place = tempfile::tempdir().unwrap();
    let next = later_package(&deb, place.path());
    let Some(mut machine) = Machine::boot(&deb) else {
        return;
    };
    assert_eq!(machine.container.property("ActiveState"), "inactive");
    assert_eq!(machine.container.property("UnitFileState"), "disabled");
    install_the_service(&machine);
    let daemon = machine.container.property("MainPID");

    let turn = machine.send("Work through an upgrade");
    machine.begin_command();
    let before = machine.installed();
    machine.install(&next);
    assert_eq!(machine.container.property("MainPID"), daemon);
    assert_noticed(&machine, &before);
    machine.finish_command(turn, "done beside an upgrade");
    // A daemon that was told to end would have parked the turn first.
    assert_eq!(machine.container.property("MainPID"), daemon);
    restart_into_the_new_program(&mut machine, &daemon);

    let daemon = machine.container.property("MainPID");
    let turn = machine.send("Work through a removal");
    machine.begin_command();
    let files = machine.files();
    assert!(
        files.contains("events.jsonl") && files.contains("10-path.conf"),
        "{files}"
    );
    machine.container.root_ok("dpkg", &["--remove", "scorel"]);
    machine.container.root_ok("dpkg", &["--purge", "scorel"]);
    assert!(
        !machine
            .container
            .run("which", &["scoreld"])
            .status
            .success()
    );
    assert_eq!(machine.files(), files);
    assert_eq!(machine.container.property("MainPID"), daemon);
    machine.finish_command(turn, "done without a program");
    assert_eq!(machine.container.property("MainPID"), daemon);
    machine.container.systemctl(&["stop", "scoreld.service"]);
    assert_eq!(machine.container.property("Result"), "success");
    let log = machine
        .container
        .ok("sh", &["-c", "cat .scorel/sessions/*/events.jsonl"]);
    let outcomes = log.lines().filter(|line| line.contains("\"turn_outcome\""));
    let outcomes: Vec<&str> = outcomes.collect();
    assert_eq!(outcomes.len(), 3, "{outcomes:?}");
    assert!(
        outcomes.iter().all(|line| line.contains("completed")),
        "{outcomes:?}"
    );
}

/// With the units of the package the user has no copies, and every verb works on them.
fn install_the_service(machine: &Machine) {
    let container = &machine.container;
    let units = ["service", "socket"].map(|kind| format!("/usr/lib/systemd/user/scoreld.{kind}"));
    let verified = container.run(
        "systemd-analyze",
        &["--user", "verify", &units[0], &units[1]],
    );
    assert!(
        verified.status.success() && verified.stderr.is_empty(),
        "{verified:?}"
    );
    let copy = ".config/systemd/user/scoreld.service";
    container.ok("mkdir", &["--parents", ".config/systemd/user"]);
    container.ok(
        "sh",
        &["-c", &format!("echo '[Service]\nExecStart=/gone' > {copy}")],
    );
    let json = |text: String| -> Value { serde_json::from_str(&text).unwrap() };
    let installed = json(container.scorelctl(&["--json", "service", "install"]));
    assert_eq!(
        installed["removed"][0],
        format!("/home/ada/{copy}"),
        "{installed}"
    );
    let changed = installed["changed"].as_array().unwrap();
    assert_eq!(changed.len(), 2, "the drop-in and env: {installed}");
    assert_eq!(container.property("FragmentPath"), units[0]);
    let again = json(container.scorelctl(&["--json", "service", "install"]));
    assert_eq!(
        (&again["changed"], &again["enabled"]),
        (&serde_json::json!([]), &false.into())
    );
    let gone = json(container.scorelctl(&["--json", "service", "uninstall"]));
    assert_eq!(gone["disabled"], true, "{gone}");
    assert_eq!(container.property("UnitFileState"), "disabled");
    let status = json(container.scorelctl(&["--json", "service", "status"]));
    assert_eq!(
        (&status["installed"], &status["enabled"]),
        (&true.into(), &false.into())
    );
    container.scorelctl(&["service", "install"]);
    container.scorelctl(&["service", "start"]);
    let status = json(container.scorelctl(&["--json", "service", "status"]));
    assert_eq!(
        (&status["enabled"], &status["current"]),
        (&true.into(), &true.into())
    );
    assert_eq!(container.property("ActiveState"), "active");
}

fn assert_noticed(machine: &Machine, before: &str) {
    let version = |text: &str| text.split(' ').nth(1).unwrap().to_owned();
    let (before, after) = (version(before), version(&machine.installed()));
    let expected = if before == after {
        format!("another build of scoreld {after} is installed: `scorelctl restart`")
    } else {
        format!("scoreld {after} is installed, {before} runs: `scorelctl restart`")
    };
    let shown = machine.container.run("scorelctl", &["status"]);
    let notice = String::from_utf8_lossy(&shown.stderr);
    assert!(notice.contains(&expected), "{expected}: {shown:?}");
    println!("{}", notice.trim());
}

/// Restarts while the model thinks: the turn continues in the new daemon.
fn restart_into_the_new_program(machine: &mut Machine, old: &str) {
    let turn = machine.send("Work through a restart");
    let _dropped = machine.model.request();
    let sessions = machine.sessions();
    machine.container.scorelctl(&["restart"]);
    assert_eq!(machine.sessions(), sessions);
    assert_ne!(machine.container.property("MainPID"), old);
    let unit = machine.container.property("Description");
    assert!(unit.starts_with("Later"), "{unit}");
    let request = machine.model.request();
    machine.model.say(&request, "done after a restart");
    assert_answered(turn, "done after a restart");
    let shown = machine.container.run("scorelctl", &["status"]);
    let notice = String::from_utf8_lossy(&shown.stderr);
    assert!(!notice.contains("installed"), "{notice}");
    let status = machine.container.scorelctl(&["--json", "status"]);
    let status: Value = serde_json::from_str(&status).unwrap();
    assert!(
        machine
            .installed()
            .ends_with(status["version"].as_str().unwrap())
    );
}
