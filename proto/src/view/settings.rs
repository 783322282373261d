use super::SessionState;
use crate::{OWN_RUNNER, SessionChanges, TitleSource};

impl SessionState {
    /// The title, or the opening in its place.
    pub fn display_title(&self) -> Option<&str> {
        self.title.as_deref().or(self.opening.as_deref())
    }

    /// Where the displayed title comes from.
    pub fn display_title_source(&self) -> Option<TitleSource> {
        match (&self.title, &self.opening) {
            // A checkpoint of an older version does not say.
            (Some(_), _) => self.title_source.or(Some(TitleSource::Client)),
            (None, Some(_)) => Some(TitleSource::Opening),
            (None, None) => None,
        }
    }

    /// The name of what runs the session's turns.
    pub fn runner_name(&self) -> &str {
        self.runner.as_deref().unwrap_or(OWN_RUNNER)
    }

    /// Folds changed settings.
    pub(super) fn change(&mut self, changes: &SessionChanges) {
        if let Some(title) = &changes.title {
            self.title = Some(title.clone());
            self.title_source = Some(changes.title_source.unwrap_or(TitleSource::Client));
        }
        if let Some(model) = &changes.model {
            self.model = Some(model.clone());
        }
        if let Some(runner) = &changes.runner {
            self.runner = (runner != OWN_RUNNER).then(|| runner.clone());
        }
        if let Some(level) = changes.thinking_level {
            self.thinking_level = level;
        }
        if let Some(tools) = changes.tools {
            self.tools = Some(tools);
        }
        if let Some(on_restart) = changes.on_restart {
            self.on_restart = Some(on_restart);
        }
        if let Some(archived) = changes.archived {
            self.archived = archived;
        }
        if changes.refresh_instructions == Some(true) {
            self.guidance.refresh = true;
            self.guidance.tools_due = true;
        }
    }
}
