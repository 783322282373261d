//! Says that another version than the running one is installed.

use std::process::{Command, Stdio};
use std::time::Duration;

use scorel_proto::{DaemonExecutable, GetStatus, NoParams, Status};
use tokio::time::timeout;

use crate::cli::Cli;
use crate::failure::Failure;

/// The time that a program may take to say its version.
const PATIENCE: Duration = Duration::from_secs(2);

/// The notice about a daemon, if there is one to give. Runs the installed program to learn its version.
pub(super) async fn upgrade_notice(status: &Status) -> Option<String> {
    let executable = status.executable.as_ref().filter(|it| it.changed)?;
    let path = executable.path.clone();
    let asked = tokio::task::spawn_blocking(move || version_of(&path));
    let installed = timeout(PATIENCE, asked).await.ok()?.ok()?;
    notice(executable, installed.as_deref())
}

/// Gives the notice on standard error, before what a command has to say. A daemon of this program's version
/// is not asked, nor one on another machine, whose programs are not here.
pub(super) async fn say_upgrade(cli: &mut Cli<'_>) -> Result<(), Failure> {
    let is_here = cli.daemon.link().local().is_some();
    if !is_here || cli.daemon.version() == env!("CARGO_PKG_VERSION") {
        return Ok(());
    }
    let status = cli.call::<GetStatus>(&NoParams {}).await?;
    if let Some(notice) = upgrade_notice(&status).await {
        cli.note(&notice)?;
    }
    Ok(())
}

/// `None` if there is no program to restart into: a restart would only end the daemon.
fn notice(executable: &DaemonExecutable, installed: Option<&str>) -> Option<String> {
    let (installed, runs) = (installed?, &executable.version);
    Some(if installed == runs {
        format!("another build of scoreld {runs} is installed: `scorelctl restart`")
    } else {
        format!("scoreld {installed} is installed, {runs} runs: `scorelctl restart`")
    })
}

/// The version that the program prints: `scoreld 0.3.0`. Blocks until it has.
fn version_of(path: &str) -> Option<String> {
    let output = Command::new(path)
        .arg("--version")
        .env_clear()
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let version = text.split_whitespace().nth(1)?;
    output.status.success().then(|| version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notice_names_both_versions_and_the_command() {
        let executable = DaemonExecutable {
            path: "/usr/bin/scoreld".to_owned(),
            version: "0.2.0".to_owned(),
            changed: true,
        };
        let text = notice(&executable, Some("0.3.0"));
        assert_eq!(
            text.as_deref(),
            Some("scoreld 0.3.0 is installed, 0.2.0 runs: `scorelctl restart`")
        );
        let text = notice(&executable, Some("0.2.0")).unwrap_or_default();
        assert!(text.starts_with("another build of scoreld 0.2.0"), "{text}");
        assert_eq!(notice(&executable, None), None, "it was removed");
    }
}
