use std::path::{Path, PathBuf};

use scorel_client::new_command_id;
use scorel_proto::{
    ErrorCode, ListProjects, NoParams, Project, RegisterProject, RegisterProjectParams,
};

use crate::daemon::{Connector, Daemon};
use crate::failure::Failure;
use crate::visible::one_line;

/// The directory that an editor works in, as the daemon names it: absolute, with symbolic links resolved where it
/// exists.
pub(super) fn directory(cwd: &Path) -> Result<PathBuf, Failure> {
    if !cwd.is_absolute() {
        let named = one_line(&cwd.to_string_lossy());
        let message = format!("`cwd` must be an absolute path, not `{named}`");
        return Err(Failure::invalid(message));
    }
    Ok(cwd.canonicalize().unwrap_or_else(|_| cwd.to_path_buf()))
}

/// The project whose directory this is.
pub(super) async fn find<C: Connector>(
    directory: &Path,
    daemon: &Daemon<C>,
) -> Result<Option<Project>, Failure> {
    let mut projects = all(daemon).await?.into_iter();
    Ok(projects.find(|project| Path::new(&project.work_dir) == directory))
}

/// All projects.
pub(super) async fn all<C: Connector>(daemon: &Daemon<C>) -> Result<Vec<Project>, Failure> {
    Ok(daemon.call::<ListProjects>(&NoParams {}).await?.projects)
}

/// The project whose directory this is. It is registered if it is unknown.
pub(super) async fn find_or_register<C: Connector>(
    directory: &Path,
    daemon: &Daemon<C>,
) -> Result<Project, Failure> {
    if let Some(project) = find(directory, daemon).await? {
        return Ok(project);
    }
    let Some(work_dir) = directory.to_str() else {
        return Err(Failure::invalid("`cwd` is not UTF-8"));
    };
    let params = RegisterProjectParams {
        work_dir: work_dir.to_owned(),
        display_name: None,
        command_id: Some(new_command_id()),
    };
    match daemon.call::<RegisterProject>(&params).await {
        Ok(registered) => Ok(registered.project),
        Err(failure) if failure.is(ErrorCode::Forbidden) => {
            let message = format!(
                "{} is not a project, and this device may not register one: run `scorelctl \
                 projects add {}` on the daemon's machine",
                one_line(work_dir),
                one_line(work_dir)
            );
            Err(Failure::new(ErrorCode::Forbidden, message))
        }
        Err(failure) => Err(failure),
    }
}
