use std::io;
use std::path::Path;

use scorel_client::ClientError;
use scorel_proto::{
    Method, Project, ProjectId, RegisterProject, RegisterProjectParams, Session, SessionId,
};
use serde::Serialize;

use crate::args::TargetArgs;
use crate::daemon::{DaemonClient, DaemonConnector};
use crate::failure::Failure;
use crate::output::Output;
use crate::target;

/// The means of a command: the daemon that it calls, and its output.
pub(crate) struct Cli<'a> {
    pub(crate) daemon: DaemonClient,
    pub(crate) output: &'a mut Output,
}

impl<'a> Cli<'a> {
    /// Connects, and starts the daemon if necessary and allowed.
    pub(crate) async fn connect(
        link: DaemonConnector,
        output: &'a mut Output,
    ) -> Result<Self, Failure> {
        let daemon = DaemonClient::connect(link).await?;
        Ok(Self { daemon, output })
    }

    /// Calls a method; see [`DaemonClient::call`].
    pub(crate) async fn call<M: Method>(
        &mut self,
        params: &M::Params,
    ) -> Result<M::Result, ClientError> {
        self.daemon.call::<M>(params).await
    }

    /// The id of the selected session, which must exist.
    pub(crate) async fn session_id(&mut self, wanted: &TargetArgs) -> Result<SessionId, Failure> {
        let TargetArgs { session, project } = wanted;
        target::existing(&mut self.daemon, session.as_ref(), project.as_deref()).await
    }

    /// Describes a session.
    pub(crate) async fn session(&mut self, session_id: SessionId) -> Result<Session, Failure> {
        target::get(&mut self.daemon, session_id).await
    }

    /// The project of a directory, by default the working directory. Looking for it registers nothing.
    pub(crate) async fn project_id(
        &mut self,
        directory: Option<&Path>,
    ) -> Result<Option<ProjectId>, Failure> {
        let directory = target::project_directory(self.daemon.link(), directory)?;
        let project = target::project(&mut self.daemon, &directory).await?;
        Ok(project.map(|project| project.project_id))
    }

    /// Returns whether a project is named, or the working directory may be one. Otherwise a list is of all.
    pub(crate) const fn has_project(&self, directory: Option<&Path>) -> bool {
        directory.is_some() || self.daemon.link().local().is_some()
    }

    /// As [`Cli::project_id`], for what does not need one.
    pub(crate) async fn project_or_none(
        &mut self,
        directory: Option<&Path>,
    ) -> Result<Option<ProjectId>, Failure> {
        match self.has_project(directory) {
            true => self.project_id(directory).await,
            false => Ok(None),
        }
    }

    /// The project of a directory, by default the working directory, which is registered if it is new.
    pub(crate) async fn registered(
        &mut self,
        directory: Option<&Path>,
    ) -> Result<Project, Failure> {
        let directory = target::project_directory(self.daemon.link(), directory)?;
        let params = RegisterProjectParams {
            work_dir: target::utf8(&directory)?.to_owned(),
            display_name: None,
            command_id: None,
        };
        Ok(self.call::<RegisterProject>(&params).await?.project)
    }

    /// Writes a message to standard error, except with `--json`.
    pub(crate) fn note(&mut self, text: &str) -> io::Result<()> {
        self.output.note(text)
    }

    /// Writes a result: as JSON with `--json`, otherwise with `human`.
    pub(crate) fn result(
        &mut self,
        value: &impl Serialize,
        human: impl FnOnce(&mut Output) -> io::Result<()>,
    ) -> Result<(), Failure> {
        self.output.result(value, human)
    }

    /// Calls a method and prints its answer: as JSON, or as the line that `text` makes of it.
    pub(crate) async fn tell<M: Method>(
        &mut self,
        params: &M::Params,
        text: impl FnOnce(&M::Result) -> String,
    ) -> Result<(), Failure> {
        let answer = self.call::<M>(params).await?;
        self.result(&answer, |output| output.line(&text(&answer)))
    }

    /// Prints a list: as JSON, or as rows. Without a row, a note says that there is `none`.
    pub(crate) fn list(
        &mut self,
        value: &impl Serialize,
        rows: impl IntoIterator<Item = String>,
        none: &str,
    ) -> Result<(), Failure> {
        let rows: Vec<String> = rows.into_iter().collect();
        self.result(value, |output| output.lines(&rows))?;
        if rows.is_empty() {
            self.note(none)?;
        }
        Ok(())
    }
}
