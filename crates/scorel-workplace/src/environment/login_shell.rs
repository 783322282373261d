//! Asking the user's login shell for its environment, as editors do.

use std::env;
use std::fs::File;
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use nix::unistd::{User, geteuid};
use scorel_exec::{CommandOrder, EndCause, Environment, RunEnd, Supervisors, Umask};

use super::login_answer::{LoginAnswer, LoginError};

/// How long the shell may take to read its start-up files.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// In bytes, of everything that the shell prints.
const MAX_OUTPUT: usize = 256 * 1024;

/// In the shell's environment, so that start-up files can tell.
const MARK: &str = "SCOREL_RESOLVING_ENVIRONMENT";

/// The login shell: `SHELL`, else that of the user database.
pub(super) fn login_shell() -> Option<PathBuf> {
    let variable = env::var_os("SHELL").map(PathBuf::from);
    let usable = |shell: &PathBuf| shell.is_absolute() && shell.exists();
    variable.filter(usable).or_else(|| {
        let user = User::from_uid(geteuid()).ok().flatten()?;
        Some(user.shell).filter(usable)
    })
}

/// Runs the shell in a directory as a login shell and an interactive one, since people set variables
/// in the files of either, and returns the environment that it ends up with. Blocks.
///
/// It runs under a supervisor, which ends whatever its start-up files leave running. If the daemon is killed
/// meanwhile, the shell goes on, unless a service manager ends it too: its files may have taken a lock that
/// only their end gives back.
pub(super) fn ask(
    supervisors: &Arc<Supervisors>,
    shell: &Path,
    directory: &Path,
    inherited: Environment,
) -> Result<LoginAnswer, LoginError> {
    let opened = File::open(directory).map_err(|error| LoginError::Directory {
        directory: directory.to_owned(),
        reason: error.to_string(),
    })?;
    let boundary = format!("{:032x}", rand::random::<u128>());
    let mut environment = inherited;
    environment.set(MARK, "1");
    let order = CommandOrder {
        space: None,
        resources: None,
        command: script(shell, &boundary).into(),
        environment,
        sandbox: None,
        timeout: Some(TIME_LIMIT),
        umask: None,
        spool_dir: None,
    };
    let not_started = |reason: String| LoginError::NotStarted {
        shell: shell.to_owned(),
        reason,
    };
    let run = supervisors
        .start_lasting(order, opened.as_fd())
        .map_err(|error| not_started(error.to_string()))?;
    let waiting = tokio::runtime::Builder::new_current_thread().build();
    let end = waiting
        .map_err(|error| not_started(error.to_string()))?
        .block_on(run.wait());
    check(shell, &end)?;
    let output = run.section(0, MAX_OUTPUT);
    if output.total > MAX_OUTPUT as u64 {
        return Err(LoginError::TooMuch {
            shell: shell.to_owned(),
            limit: MAX_OUTPUT,
        });
    }
    parse(shell, &String::from_utf8_lossy(&output.bytes), &boundary)
}

fn check(shell: &Path, end: &RunEnd) -> Result<(), LoginError> {
    let shell = shell.to_owned();
    match &end.cause {
        EndCause::Exited => Ok(()),
        EndCause::TimedOut => Err(LoginError::TimedOut {
            shell,
            seconds: TIME_LIMIT.as_secs(),
        }),
        EndCause::NotStarted(reason) => Err(LoginError::NotStarted {
            shell,
            reason: reason.clone(),
        }),
        EndCause::Stopped | EndCause::SupervisorLost => Err(LoginError::NoAnswer { shell }),
    }
}

/// The umask and the environment between boundaries, since start-up files print what they like. The
/// words are the same in bash, zsh, fish and their relatives. Their complaints are not read: without a
/// terminal an interactive shell has some.
fn script(shell: &Path, boundary: &str) -> String {
    let shell = shell.display().to_string().replace('\'', r"'\''");
    let asked = format!(
        "printf %s {boundary}; umask; printf %s {boundary}; /usr/bin/env -0; printf %s {boundary}"
    );
    format!("exec '{shell}' -l -i -c '{asked}' 2>/dev/null")
}

fn parse(shell: &Path, output: &str, boundary: &str) -> Result<LoginAnswer, LoginError> {
    let parts: Vec<&str> = output.split(boundary).collect();
    let [_, umask, variables, _] = parts.as_slice() else {
        return Err(LoginError::NoAnswer {
            shell: shell.to_owned(),
        });
    };
    let pairs = variables.split('\0').filter_map(|it| it.split_once('='));
    let pairs = pairs.filter(|(name, _)| *name != MARK);
    Ok(LoginAnswer {
        shell: shell.to_owned(),
        variables: pairs
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        umask: Umask::parse(umask),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_start_up_files_print_is_not_taken_for_variables() {
        let output = "Welcome!\nA=noise\n==0022\n==A=1\0B=two\nlines=x\0==bye";
        let answer = parse(Path::new("/bin/sh"), output, "==").unwrap();
        assert_eq!(answer.umask, Umask::parse("022"));
        let variables: Vec<(&str, &str)> = answer
            .variables
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        assert_eq!(variables, [("A", "1"), ("B", "two\nlines=x")]);
    }

    #[test]
    fn an_answer_that_is_cut_is_none() {
        for output in ["", "noise", "==022\n", "==022\n==A=1\0"] {
            let answer = parse(Path::new("/bin/sh"), output, "==");
            assert!(
                matches!(answer, Err(LoginError::NoAnswer { .. })),
                "{output:?}"
            );
        }
    }

    #[test]
    fn a_shell_with_a_quote_in_its_name_is_one_word() {
        let script = script(Path::new("/a'b"), "==");
        assert!(script.starts_with(r"exec '/a'\''b' -l -i -c "), "{script}");
    }
}
