//! The project of a directory.

use std::path::Path;

use scorel_client::{Connect, new_command_id};
use scorel_proto::{
    ErrorCode, ListDirectories, ListDirectoriesParams, ListProjects, NoParams, Project,
    RegisterProject, RegisterProjectParams,
};

use crate::daemon::Daemon;
use crate::failure::Failure;

/// # Errors
/// The path is relative, or no text.
pub(crate) fn absolute(cwd: &Path) -> Result<&str, Failure> {
    let path = cwd.to_str().filter(|_| cwd.is_absolute());
    path.ok_or_else(|| {
        let cwd = cwd.display();
        Failure::invalid(format!(
            "`cwd` must be an absolute path, and `{cwd}` is not"
        ))
    })
}

/// All projects.
pub(crate) async fn all<C: Connect + Clone>(daemon: &Daemon<C>) -> Result<Vec<Project>, Failure> {
    Ok(daemon.call::<ListProjects>(&NoParams {}).await?.projects)
}

/// The project of a directory; `None` if it is not registered.
///
/// # Errors
/// The path is relative, or the daemon fails.
pub(crate) async fn find<C: Connect + Clone>(
    daemon: &Daemon<C>,
    cwd: &Path,
) -> Result<Option<Project>, Failure> {
    let path = absolute(cwd)?;
    let projects = all(daemon).await?;
    let of = |path: &Path| {
        let mut projects = projects.iter();
        projects.find(|it| Path::new(&it.work_dir) == path).cloned()
    };
    if let Some(project) = of(cwd) {
        return Ok(Some(project));
    }
    // The daemon resolves links: its files are those that count.
    let path = Some(path.to_owned());
    match daemon
        .call::<ListDirectories>(&ListDirectoriesParams { path })
        .await
    {
        Ok(listed) => Ok(of(Path::new(&listed.path))),
        Err(failure)
            if failure.is(ErrorCode::Forbidden) || failure.is(ErrorCode::FilesystemError) =>
        {
            Ok(None)
        }
        Err(failure) => Err(failure),
    }
}

/// The project of a directory, registered if it is not.
///
/// # Errors
/// Those of [`find`]; and this client may not register projects.
pub(crate) async fn find_or_register<C: Connect + Clone>(
    daemon: &Daemon<C>,
    cwd: &Path,
) -> Result<Project, Failure> {
    if let Some(project) = find(daemon, cwd).await? {
        return Ok(project);
    }
    let work_dir = absolute(cwd)?.to_owned();
    let params = RegisterProjectParams {
        work_dir: work_dir.clone(),
        display_name: None,
        command_id: Some(new_command_id()),
    };
    match daemon.call::<RegisterProject>(&params).await {
        Ok(registered) => Ok(registered.project),
        Err(mut failure) if failure.is(ErrorCode::Forbidden) => {
            failure.message = format!(
                "{work_dir} is not a project, and this client may not add one: run `scorelctl projects add \
                 {work_dir}` on the daemon's machine"
            );
            Err(failure)
        }
        Err(failure) => Err(failure),
    }
}
