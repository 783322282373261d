use std::os::fd::OwnedFd;
use std::process::{Child, Command};

/// Runs the command with the terminal `end` as its controlling one, and with the variables of the command only. `None`,
/// with a remark, where `setsid` is not installed.
#[expect(clippy::print_stdout, reason = "a test says what it skips")]
pub(crate) fn at_terminal(
    command: &Command,
    end: &OwnedFd,
    variables: &[(&str, &str)],
) -> Option<Child> {
    let own = command
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)));
    let mut at_terminal = Command::new("setsid");
    at_terminal
        .arg("--ctty")
        .arg(command.get_program())
        .args(command.get_args())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").expect("a search path"))
        .envs(variables.iter().copied())
        .envs(own)
        .current_dir(command.get_current_dir().expect("a directory"));
    let end = || end.try_clone().expect("a descriptor");
    at_terminal.stdin(end()).stdout(end()).stderr(end());
    match at_terminal.spawn() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            println!("skipped: setsid is not installed");
            None
        }
        spawned => Some(spawned.expect("it runs")),
    }
}
