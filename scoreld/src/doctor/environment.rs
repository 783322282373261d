//! The environment of commands: names, and never a value.

use std::collections::BTreeSet;
use std::env;
use std::path::PathBuf;

use nix::sys::stat::{Mode, umask};
use scorel_config::ConfigSource;
use scorel_exec::Umask;
use scorel_home::Home;
use scorel_workplace::{EnvironmentReport, command_environment};

use super::check::Check;

const NAME: &str = "environment";

/// What commands of a session in this directory would get from a daemon that is started here.
pub(super) fn check(home: &Home) -> Check {
    let config = match ConfigSource::open(&home.config()) {
        Ok(source) => source.current(None),
        // The check `config` reports it.
        Err(_) => return Check::warn(NAME, "unknown without a valid configuration"),
    };
    let project = env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    match command_environment(&config, home, &project, inherited_umask()) {
        Ok(report) => described(&report),
        Err(error) => Check::warn(NAME, format!("the login shell cannot be asked: {error}")),
    }
}

/// The kernel tells the mask only when it is changed.
fn inherited_umask() -> Umask {
    let mask = umask(Mode::from_bits_truncate(0o077));
    umask(mask);
    Umask::new(mask.bits())
}

fn described(report: &EnvironmentReport) -> Check {
    let mut parts = Vec::new();
    let mut add = |from: &str, names: &BTreeSet<String>| {
        if !names.is_empty() {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            parts.push(format!("{from}: {}", names.join(", ")));
        }
    };
    if let Ok(shell) = &report.login_shell {
        add(
            &format!("from the login shell {}", shell.display()),
            &report.from_shell,
        );
    }
    add("from the daemon", &report.from_daemon);
    add("from the configuration", &report.set);
    let withheld: Vec<String> = report
        .withheld
        .iter()
        .map(|(name, reason)| format!("{name} ({reason})"))
        .collect();
    if !withheld.is_empty() {
        parts.push(format!("withheld: {}", withheld.join(", ")));
    }
    parts.push(format!("umask: {}", report.umask));
    let message = parts.join("; ");
    match &report.login_shell {
        Ok(_) => Check::ok(NAME, message).hint(
            "`pass`, `set` and `remove` in `[tools.environment]` change it; under a service manager \
             the umask is the login shell's",
        ),
        Err(reason) => Check::warn(NAME, message).hint(format!(
            "commands do not get the login shell's environment: {reason}"
        )),
    }
}
