//! A container in which systemd has booted, with a user whose service manager runs.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, geteuid, kill_process};
use scorel_testkit::Deadline;

use crate::under_test::{SCORELCTL, SCORELD};

/// The switch of these tests: each boots a container, and they need root.
const SWITCH: &str = "SCOREL_CONTAINER";

/// How long the boot may take.
const BOOT: Duration = Duration::from_secs(60);

const USER: &str = "ada";
const UID: u32 = 4242;

/// What the container's systemd starts: the user's manager and what that needs, and no service of
/// this machine.
const TARGET: &str = "\
[Unit]
Requires=basic.target
Wants=systemd-logind.service user@4242.service
After=basic.target systemd-logind.service user@4242.service
AllowIsolate=yes
";

/// One container at a time: they share a control group.
static ONE: Mutex<()> = Mutex::new(());

/// A booted container on an overlay of this machine's files, which ends with this value.
pub(crate) struct Container {
    nspawn: Child,
    /// Its first process.
    leader: String,
    _root: tempfile::TempDir,
    _one: MutexGuard<'static, ()>,
}

impl Container {
    /// Boots a container; prints why, and returns `None`, where that cannot be done.
    pub(crate) fn boot() -> Option<Self> {
        match std::env::var(SWITCH) {
            Err(_) => return skip(&format!("{SWITCH} is not set")),
            Ok(_) if !geteuid().is_root() => return skip("a container needs root"),
            Ok(_) => {}
        }
        let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let root = tempfile::tempdir_in("/tmp").unwrap();
        furnish(root.path());
        let notify = root.path().join("notify");
        let messages = UnixDatagram::bind(&notify).unwrap();
        messages.set_read_timeout(Some(BOOT)).unwrap();
        let mut nspawn = match nspawn(root.path(), &notify).spawn() {
            Ok(nspawn) => nspawn,
            Err(error) => return skip(&format!("unshare does not run here: {error}")),
        };
        match booted(&messages) {
            Some(leader) => Some(Self {
                nspawn,
                leader,
                _root: root,
                _one: one,
            }),
            None => {
                let _ended = nspawn.kill();
                nspawn.wait().unwrap();
                let log = fs::read_to_string(root.path().join("log")).unwrap_or_default();
                skip(&format!("no container boots here: {log}"))
            }
        }
    }

    /// A command of the user, in the container.
    pub(crate) fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let uid = UID.to_string();
        let mut command = self.enter();
        command
            .arg("--wdns=/home/ada")
            .args([
                "setpriv",
                "--reuid",
                &uid,
                "--regid",
                &uid,
                "--clear-groups",
            ])
            .arg(program)
            .args(arguments)
            .env_clear()
            .env("HOME", self.home())
            .env("USER", USER)
            .env("SHELL", "/bin/bash")
            .env("XDG_RUNTIME_DIR", format!("/run/user/{UID}"))
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, program: &str, arguments: &[&str]) -> Output {
        ended(self.command(program, arguments).spawn().unwrap())
    }

    /// Runs a command that succeeds, and returns what it prints.
    pub(crate) fn ok(&self, program: &str, arguments: &[&str]) -> String {
        let output = self.run(program, arguments);
        assert!(
            output.status.success(),
            "{program} {arguments:?}: {output:?}"
        );
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Runs a command of root that succeeds.
    pub(crate) fn root_ok(&self, program: &str, arguments: &[&str]) {
        let mut command = self.enter();
        command
            .arg("--wdns=/")
            .arg(program)
            .args(arguments)
            .env_clear()
            .env(
                "PATH",
                "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            )
            .env("DEBIAN_FRONTEND", "noninteractive")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let output = ended(command.spawn().unwrap());
        assert!(
            output.status.success(),
            "{program} {arguments:?}: {output:?}"
        );
    }

    pub(crate) fn systemctl(&self, arguments: &[&str]) -> String {
        let mut all = vec!["--user"];
        all.extend(arguments);
        self.ok("systemctl", &all)
    }

    pub(crate) fn scorelctl(&self, arguments: &[&str]) -> String {
        self.ok("scorelctl", arguments)
    }

    /// A property of the daemon's service.
    pub(crate) fn property(&self, name: &str) -> String {
        self.systemctl(&["show", "--property", name, "--value", "scoreld.service"])
    }

    /// The user's home directory, as the container sees it.
    pub(crate) fn home(&self) -> &'static str {
        "/home/ada"
    }

    /// A file in the user's home directory, as this machine sees it.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        let path = format!("/proc/{}/root{}/{name}", self.leader, self.home());
        PathBuf::from(path)
    }

    /// Signals a process of the container.
    pub(crate) fn signal(&self, signal: &str, pid: &str) {
        self.ok("kill", &[signal, pid]);
    }

    fn enter(&self) -> Command {
        let mut command = Command::new("nsenter");
        command
            .args(["--target", &self.leader])
            .args(["--mount", "--pid", "--uts", "--ipc", "--net"]);
        command
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        // The container's processes and mounts end with its first process.
        if let Some(leader) = self.leader.parse().ok().and_then(Pid::from_raw) {
            let _gone = kill_process(leader, Signal::KILL);
        }
        let _deadline = Deadline::of(&self.nspawn);
        let _status = self.nspawn.wait();
    }
}

/// Waits for a process, which must end in time.
pub(crate) fn ended(child: Child) -> Output {
    let _deadline = Deadline::of(&child);
    child.wait_with_output().unwrap()
}

fn skip(reason: &str) -> Option<Container> {
    println!("skipped: {reason}");
    None
}

/// Makes the files in which the container differs from this machine.
fn furnish(root: &Path) {
    let upper = root.join("upper");
    for dir in ["work", "root", "upper/etc/systemd/system", "upper/home/ada"] {
        fs::create_dir_all(root.join(dir)).unwrap();
    }
    for dir in ["upper/usr/local/bin", "upper/var/lib/systemd/linger"] {
        fs::create_dir_all(root.join(dir)).unwrap();
    }
    fs::set_permissions(&upper, PermissionsExt::from_mode(0o755)).unwrap();
    chown(upper.join("home/ada"), Some(UID), Some(UID)).unwrap();
    let add = |file: &str, line: String, mode| {
        let old = fs::read_to_string(Path::new("/").join(file)).unwrap();
        fs::write(upper.join(file), format!("{old}{line}\n")).unwrap();
        fs::set_permissions(upper.join(file), PermissionsExt::from_mode(mode)).unwrap();
    };
    add(
        "etc/passwd",
        format!("{USER}:x:{UID}:{UID}::/home/ada:/bin/bash"),
        0o644,
    );
    add("etc/group", format!("{USER}:x:{UID}:"), 0o644);
    add("etc/shadow", format!("{USER}:*:19000:0:99999:7:::"), 0o640);
    fs::write(upper.join("var/lib/systemd/linger").join(USER), "").unwrap();
    fs::write(upper.join("etc/systemd/system/scorel-test.target"), TARGET).unwrap();
    symlink(
        "scorel-test.target",
        upper.join("etc/systemd/system/default.target"),
    )
    .unwrap();
    for (program, name) in [(SCORELD, "scoreld"), (SCORELCTL, "scorelctl")] {
        fs::copy(program, upper.join("usr/local/bin").join(name)).unwrap();
    }
}

/// The mount of the overlay is in a namespace of its own, and goes with the container.
fn nspawn(root: &Path, notify: &Path) -> Command {
    let script = "mount -t overlay overlay -o lowerdir=/,upperdir=upper,workdir=work root \
         && exec systemd-nspawn --boot --quiet --register=no --keep-unit --private-network \
         --link-journal=no --resolv-conf=off --console=pipe --notify-ready=yes \
         --machine=\"$1\" --directory=root";
    let log = fs::File::create(root.join("log")).unwrap();
    let mut command = Command::new("unshare");
    command
        .args(["--mount", "--propagation", "private", "sh", "-c", script])
        .args(["sh", &format!("scorel-{}", std::process::id())])
        .current_dir(root)
        .env("NOTIFY_SOCKET", notify)
        .stdin(Stdio::null())
        .stdout(log.try_clone().unwrap())
        .stderr(log);
    command
}

/// Waits until the container has booted; returns its first process, or `None` if it does not boot.
fn booted(messages: &UnixDatagram) -> Option<String> {
    let mut leader = None;
    let mut buffer = [0; 4096];
    loop {
        let len = match messages.recv(&mut buffer) {
            // The end of any child interrupts it.
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            len => len.ok()?,
        };
        let message = String::from_utf8_lossy(&buffer[..len]).into_owned();
        for line in message.lines() {
            if let Some(pid) = line.strip_prefix("X_NSPAWN_LEADER_PID=") {
                leader = Some(pid.to_owned());
            }
            if line == "READY=1" {
                return leader;
            }
        }
    }
}
