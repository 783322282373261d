use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_engine::{Effect, QuestionEffects, RunnerAction, RunnerQuestion};
use scorel_fetch::Fetcher;
use scorel_tools::SessionFiles;

/// The files of one action that are looked at.
const MAX_PATHS: usize = 1024;

/// The effects of what a runner asks to do, with its paths resolved as those of the session's own tools
/// are. Looks at the file system.
#[derive(Debug)]
pub(crate) struct ProjectEffects {
    pub(super) files: Arc<SessionFiles>,
    pub(super) fetcher: Fetcher,
}

impl QuestionEffects for ProjectEffects {
    fn of(&self, question: &RunnerQuestion) -> Vec<Effect> {
        match &question.action {
            RunnerAction::Command { command, directory } => vec![self.command(command, directory)],
            RunnerAction::Write { paths } => each(paths, |path| self.files.changing(path)),
            RunnerAction::Read { paths } => each(paths, |path| self.files.reading(path)),
            RunnerAction::Fetch { url } => vec![Effect::FetchUrl {
                url: url.clone(),
                is_private: self.fetcher.needs_permit(url),
            }],
            RunnerAction::Other { tool } => vec![Effect::CallOutside {
                tool: tool.clone(),
                also: Vec::new(),
                input: question.call.input.clone(),
                digest: None,
                reads_only: false,
            }],
            RunnerAction::Own { effects, .. } => effects.clone(),
            RunnerAction::Untold { tool } => vec![Effect::CallUntold { tool: tool.clone() }],
        }
    }
}

impl ProjectEffects {
    fn command(&self, command: &str, directory: &Path) -> Effect {
        let directory = self.files.project().join(directory);
        match directory.canonicalize() {
            Ok(directory) => Effect::RunCommand {
                command: command.to_owned(),
                directory,
                // It is not known what its sandbox allows. The gate of a runner assumes all.
                network: false,
            },
            Err(error) => Effect::Unresolved {
                reason: format!("{} cannot be used: {error}", directory.display()),
            },
        }
    }
}

/// The effect on each path. A runner that names none is not taken at its word.
fn each(paths: &[PathBuf], effect: impl Fn(&str) -> Effect) -> Vec<Effect> {
    if paths.is_empty() {
        let reason = "the runner does not say which files it is about".to_owned();
        return vec![Effect::Unresolved { reason }];
    }
    if paths.len() > MAX_PATHS {
        let reason = format!("it is about more than {MAX_PATHS} files");
        return vec![Effect::Unresolved { reason }];
    }
    let effects = paths.iter().map(|path| match path.to_str() {
        Some(path) => effect(path),
        None => Effect::Unresolved {
            reason: format!("{} is not UTF-8", path.display()),
        },
    });
    effects.collect()
}
