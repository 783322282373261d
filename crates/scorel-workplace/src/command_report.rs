use std::io;
use std::path::Path;

use scorel_config::Config;
use scorel_exec::{Supervisors, Umask};
use scorel_home::{Home, SecretStore};

use crate::commands::CommandHost;
use crate::environment::EnvironmentReport;

/// The environment of commands in a project, as a daemon would find it out that is started like this
/// process, with this umask. Blocks while the login shell is asked.
///
/// # Errors
/// The process cannot supervise the login shell.
pub fn command_environment(
    config: &Config,
    home: &Home,
    project: &Path,
    umask: Umask,
) -> io::Result<EnvironmentReport> {
    let secrets = SecretStore::new(home.env());
    let supervisors = Supervisors::new(None)?;
    let host = CommandHost::new(supervisors, secrets, home.root(), Some(umask), None);
    Ok(host.report(config, project))
}
