//! A directory that denies writing, in the middle of a restore.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::{env, fs};

use crate::project::{Project, undoing};

const OBEDIENT: &str = "SCOREL_TEST_OBEDIENT";

/// Modes apply to the owner too, unless the process has root's capabilities.
const WITHOUT_OVERRIDE: [&str; 2] = [
    "--bounding-set=-dac_override,-dac_read_search",
    "--inh-caps=-all",
];

#[test]
fn one_directory_that_cannot_be_written_fails_its_files_only() {
    if env::var_os(OBEDIENT).is_some() || !rustix::process::geteuid().is_root() {
        return without_override();
    }
    let obedient = |program: &[&str]| {
        // What it runs is this program, in which a test could hang.
        let mut command = Command::new("timeout");
        command
            .args(["120", "setpriv"])
            .args(WITHOUT_OVERRIDE)
            .args(program);
        command.env(OBEDIENT, "1").output()
    };
    if !obedient(&["true"]).is_ok_and(|probe| probe.status.success()) {
        println!("skipped: modes of files do not hold for root, and setpriv does not work");
        return;
    }
    let program = env::current_exe().unwrap();
    let name = "denied::one_directory_that_cannot_be_written_fails_its_files_only";
    let output = obedient(&[program.to_str().unwrap(), "--exact", name]).unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("1 passed"), "{said}");
}

fn without_override() {
    let project = Project::new();
    for number in 0..300 {
        project.write(format!("d{}/{number}", number % 3), "before");
    }
    let before = project.snapshot();
    let recorder = project.recorder();
    let recorded = project.watch(&recorder, || {
        project.sh("for f in */*; do echo after > $f; done");
    });
    let (undo, _) = undoing(&recorder, &recorded.files);
    let closed = project.path("d1");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
    let failed = recorder.restore("evt_1", &undo, |_| true);
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(failed.len(), 100);
    assert!(failed.iter().all(|it| it.path.as_str().starts_with("d1/")));
    assert!(failed[0].error.contains("denied"), "{:?}", failed[0]);
    assert_eq!(recorder.restore("evt_1", &undo, |_| true), []);
    assert_eq!(project.snapshot(), before);
}
