use std::io;
use std::path::Path;

use scorel_exec::{Supervisors, Umask};

use crate::commands::CommandHost;
use crate::config::Config;
use crate::environment::EnvironmentReport;
use crate::home::Home;
use crate::secret::SecretStore;

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
