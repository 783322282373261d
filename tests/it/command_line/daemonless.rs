//! Commands that only look, or that work on files, leave no daemon behind.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;

use scorel_testkit::DaemonUnderTest;

use crate::under_test::{SCORELD, scorelctl};

/// The command lines, and the exit codes that they may have without a daemon.
const LINES: &[(&[&str], &[i32])] = &[
    (&[], &[2]),
    (&["--help"], &[0]),
    (&["--version"], &[0]),
    (&["status"], &[7]),
    (&["status", "--short"], &[7]),
    (&["stop"], &[0]),
    (&["logs"], &[0]),
    (&["logs", "-n", "3", "--json"], &[0]),
    (&["config", "show"], &[0]),
    (&["config", "get", "runtime.maxSteps"], &[0]),
    (&["config", "check"], &[0]),
    (&["config", "set", "runtime.maxSteps", "9"], &[0]),
    (&["config", "unset", "runtime.maxSteps"], &[3]),
    (&["config", "edit"], &[0, 3]),
    (&["service", "status"], &[3]),
    (&["service", "install"], &[3]),
    (&["service", "start"], &[3]),
    (&["service", "restart"], &[3]),
    (&["service", "stop"], &[3]),
    (&["service", "logs"], &[3]),
    (&["service", "uninstall"], &[3]),
    (&["doctor"], &[0, 1]),
    (&["fsck"], &[0, 3]),
    (&["completions", "bash"], &[0]),
    (&["completions", "zsh"], &[0]),
    (&["completions", "fish"], &[0]),
    (&["man", "pages"], &[0]),
];

/// The files left behind by a daemon that is gone.
#[derive(Debug, Clone, Copy)]
enum Remains {
    Nothing,
    /// A socket on which no daemon listens.
    Socket,
    /// Its lock file, which is not locked.
    Lock,
    Both,
}

impl Remains {
    fn lay_out(self, daemon: &DaemonUnderTest) {
        fs::create_dir_all(daemon.home()).unwrap();
        fs::set_permissions(daemon.home(), Permissions::from_mode(0o700)).unwrap();
        if matches!(self, Self::Socket | Self::Both) {
            drop(UnixListener::bind(daemon.socket()).unwrap());
        }
        if matches!(self, Self::Lock | Self::Both) {
            // A number that no process can have.
            let lock = daemon.home().join("scoreld.lock");
            fs::write(&lock, "4194305\n").unwrap();
            fs::set_permissions(&lock, Permissions::from_mode(0o600)).unwrap();
        }
    }
}

#[tokio::test]
async fn commands_that_need_no_daemon_leave_none_behind() {
    for remains in [
        Remains::Nothing,
        Remains::Socket,
        Remains::Lock,
        Remains::Both,
    ] {
        for (line, codes) in LINES {
            let daemon = DaemonUnderTest::new(SCORELD);
            remains.lay_out(&daemon);
            let variables = [("PATH", "/usr/bin:/bin"), ("EDITOR", "true")];
            let output = scorelctl(&daemon, line, &variables).await;
            let code = output.status.code().unwrap();
            assert!(codes.contains(&code), "{line:?}, {remains:?}: {output:?}");
            assert!(
                !is_served(&daemon),
                "{line:?}, {remains:?} left a daemon behind"
            );
        }
    }
}

/// Whether a daemon holds the home or listens on its socket.
fn is_served(daemon: &DaemonUnderTest) -> bool {
    let lock = fs::File::open(daemon.home().join("scoreld.lock"));
    let is_held = lock.is_ok_and(|lock| {
        let lock = rustix::fs::flock(&lock, rustix::fs::FlockOperation::NonBlockingLockExclusive);
        lock.is_err()
    });
    is_held || std::os::unix::net::UnixStream::connect(daemon.socket()).is_ok()
}
