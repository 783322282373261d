use std::fs;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use scorel_testkit::DaemonUnderTest;
use tempfile::TempDir;

use crate::under_test::{SCORELCTL, SCORELD};

/// A real `sshd` on a free port of the loopback interface, a client's home and keys, and an `ssh` that reads this
/// configuration instead of the user's.
pub(crate) struct SshServer {
    dir: TempDir,
    /// The directory in which the server's shell finds its programs.
    there: PathBuf,
    sshd: PathBuf,
    ssh: PathBuf,
}

impl SshServer {
    /// A server on whose machine the daemon runs. `None`, with a remark, where OpenSSH is not installed.
    pub(crate) fn of(daemon: &DaemonUnderTest) -> Option<Self> {
        let server = Self::with_home(&daemon.home())?;
        symlink(SCORELCTL, server.there.join("scorelctl")).unwrap();
        Some(server)
    }

    /// A server on a machine without `scorelctl`.
    pub(crate) fn bare() -> Option<Self> {
        Self::with_home(Path::new("/nonexistent"))
    }

    /// A server on whose machine `scorelctl` is this shell script.
    pub(crate) fn with_script(script: &str) -> Option<Self> {
        let server = Self::bare()?;
        write_program(&server.there.join("scorelctl"), script);
        Some(server)
    }

    fn with_home(home: &Path) -> Option<Self> {
        let sshd = program("sshd")?;
        let ssh = program("ssh")?;
        let keygen = program("ssh-keygen")?;
        if rustix::process::getuid().is_root() {
            // A package's service makes it, which does not run where tests do.
            fs::create_dir_all("/run/sshd").unwrap();
        }
        let dir = tempfile::tempdir().unwrap();
        let there = dir.path().join("there");
        for name in ["bin", "there", "client", "shell-home"] {
            fs::create_dir(dir.path().join(name)).unwrap();
        }
        for name in ["host-key", "key", "other-key"] {
            let made = Command::new(&keygen)
                .args(["-q", "-t", "ed25519", "-N", "", "-f"])
                .arg(dir.path().join(name))
                .stdin(Stdio::null())
                .status();
            assert!(made.unwrap().success());
        }
        let server = Self {
            dir,
            there,
            sshd,
            ssh,
        };
        server.configure(home);
        server.use_ssh("");
        Some(server)
    }

    fn configure(&self, home: &Path) {
        let path = |name: &str| self.path(name).display().to_string();
        let public = |name: &str| fs::read_to_string(self.path(name)).unwrap();
        fs::copy(self.path("key.pub"), self.path("authorized")).unwrap();
        fs::write(
            self.path("known"),
            format!("here {}", public("host-key.pub")),
        )
        .unwrap();
        fs::write(
            self.path("known-other"),
            format!("here {}", public("other-key.pub")),
        )
        .unwrap();
        let config = format!(
            "HostKey {}\nAuthorizedKeysFile {}\nStrictModes no\nUsePAM no\nPidFile none\nPrintMotd no\n\
             PasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin yes\n\
             MaxStartups 100\nSetEnv HOME={} PATH={}:/usr/bin:/bin SCOREL_HOME={} SCORELD={SCORELD}\n",
            path("host-key"),
            path("authorized"),
            path("shell-home"),
            self.there.display(),
            home.display(),
        );
        fs::write(self.path("sshd_config"), config).unwrap();
        let port = self.listen();
        let user = Command::new("id").arg("-un").output().unwrap().stdout;
        let user = String::from_utf8(user).unwrap();
        let closed = closed_port();
        // The first value of each option is the one that counts.
        let hosts = format!(
            "Host stranger\n  IdentityFile {other}\nHost changed\n  UserKnownHostsFile {known}-other\n\
             Host unknown\n  UserKnownHostsFile /dev/null\nHost closed\n  Port {closed}\n\
             Host nowhere\n  HostName a..b\nHost mute\n  Port {mute}\n\
             Host *\n  HostName 127.0.0.1\n  Port {port}\n  HostKeyAlias here\n  User {user}\n  \
             IdentitiesOnly yes\n  IdentityAgent none\n  UserKnownHostsFile {known}\n  \
             GlobalKnownHostsFile /dev/null\n  StrictHostKeyChecking ask\n\
             Host * !stranger\n  IdentityFile {key}\n",
            other = path("other-key"),
            known = path("known"),
            key = path("key"),
            mute = mute_port(),
            user = user.trim(),
        );
        fs::write(self.path("ssh_config"), hosts).unwrap();
    }

    /// Has connections answered by one `sshd` each, as inetd does: it cannot choose a free port by itself.
    fn listen(&self) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sshd, config) = (self.sshd.clone(), self.path("sshd_config"));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { return };
                let input = OwnedFd::from(stream.try_clone().unwrap());
                let mut command = Command::new(&sshd);
                command
                    .args(["-i", "-e", "-f"])
                    .arg(&config)
                    .stdin(Stdio::from(input))
                    .stdout(Stdio::from(OwnedFd::from(stream)))
                    .stderr(Stdio::null());
                let child = command.spawn();
                drop(command);
                thread::spawn(move || child.map(|mut child| child.wait()));
            }
        });
        port
    }

    /// Puts an `ssh` in the client's search path that has these options first.
    pub(crate) fn use_ssh(&self, options: &str) {
        let script = format!(
            "#!/bin/sh\necho $$ >> {}\nexec {} -F {} {options} \"$@\"\n",
            self.path("pids").display(),
            self.ssh.display(),
            self.path("ssh_config").display(),
        );
        write_program(&self.path("bin/ssh"), &script);
    }

    /// The processes of `ssh` that were started until now.
    pub(crate) fn children(&self) -> Vec<i32> {
        let text = fs::read_to_string(self.path("pids")).unwrap_or_default();
        text.lines().map(|line| line.parse().unwrap()).collect()
    }

    /// A home with the machine `here`, and those of the configuration that cannot be reached.
    pub(crate) fn knows_all(&self) {
        let names = [
            "changed", "closed", "here", "mute", "nowhere", "stranger", "unknown",
        ];
        let devices: Vec<_> = names
            .iter()
            .map(|name| serde_json::json!({"name": name, "address": format!("ssh:{name}")}))
            .collect();
        let text = serde_json::json!({"version": 1, "devices": devices}).to_string();
        fs::write(self.path("client/devices.json"), text).unwrap();
    }

    /// `scorelctl` of the client's machine, on which no daemon can start.
    pub(crate) fn scorelctl(&self, arguments: &[&str]) -> tokio::process::Command {
        let mut command = tokio::process::Command::new(SCORELCTL);
        command
            .env_clear()
            .env(
                "PATH",
                format!("{}:/usr/bin:/bin", self.path("bin").display()),
            )
            .env("HOME", self.dir.path())
            .env("SCOREL_HOME", self.path("client"))
            .env("SCORELD", "/nonexistent")
            .current_dir(self.dir.path())
            .args(arguments);
        command
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }
}

fn write_program(path: &Path, text: &str) {
    // A program that is being written cannot run, and another test's child may hold the descriptor for a moment.
    let new = path.with_extension("new");
    let status = Command::new("sh")
        .args(["-c", "cat > \"$1\" && chmod 755 \"$1\"", "sh"])
        .arg(&new)
        .stdin(pipe_of(text))
        .status();
    assert!(status.unwrap().success());
    fs::rename(&new, path).unwrap();
    assert!(fs::metadata(path).unwrap().permissions().mode() & 0o100 != 0);
}

fn pipe_of(text: &str) -> Stdio {
    let mut file = tempfile::tempfile().unwrap();
    std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
    std::io::Seek::rewind(&mut file).unwrap();
    file.into()
}

/// A port that nothing listens on, and that is not given to another program.
fn closed_port() -> u16 {
    // Port 1 (tcpmux) needs privileges, and nothing has it.
    1
}

/// A port whose connections are accepted, and get no answer.
fn mute_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let held: Vec<_> = listener.incoming().collect();
        drop(held);
    });
    port
}

fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut dirs = path.split(':').chain(["/usr/sbin", "/usr/bin"]);
    let found = dirs.find_map(|dir| {
        let path = Path::new(dir).join(name);
        path.is_file().then_some(path)
    });
    if found.is_none() {
        assert!(std::env::var_os("CI").is_none(), "{name} is not installed");
        println!("skipped: {name} is not installed");
    }
    found
}
