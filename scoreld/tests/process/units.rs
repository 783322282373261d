use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::daemon::TestHome;

fn printed(kind: &str) -> String {
    let output = TestHome::new().run(&["--print-unit", kind]);
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_printed_units_name_this_program() {
    let program = env!("CARGO_BIN_EXE_scoreld");
    assert!(printed("systemd-service").contains(&format!("\nExecStart={program}\n")));
    assert!(printed("launchd").contains(&format!("<string>{program}</string>")));
    assert!(printed("systemd-socket").contains("\nListenStream=%h/.scorel/scoreld.sock\n"));
}

#[test]
fn the_service_is_not_restarted_where_the_home_is_taken_and_may_open_many_files() {
    let service = printed("systemd-service");
    assert!(service.contains("\nRestartPreventExitStatus=64 69 78\n"));
    // Longer than the daemon waits for the home.
    assert!(service.contains("\nTimeoutStartSec=30\n"));
    assert!(service.contains("\nLimitNOFILE=1024:524288\n"));
}

#[test]
fn systemd_accepts_the_units() {
    let dir = tempfile::tempdir().unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o700)).unwrap();
    let [service, socket] = ["service", "socket"].map(|kind| {
        let path = dir.path().join(format!("scoreld.{kind}"));
        fs::write(&path, printed(&format!("systemd-{kind}"))).unwrap();
        path
    });
    let verify = |units: &[&Path]| {
        let mut command = Command::new("systemd-analyze");
        command
            .args(["--user", "verify"])
            .args(units)
            .env("XDG_RUNTIME_DIR", dir.path())
            .output()
    };
    match verify(&[&service, &socket]) {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && text.is_empty(), "{text}");
        }
        Err(error) => eprintln!("skipped: systemd-analyze does not run here ({error})"),
    }
}
