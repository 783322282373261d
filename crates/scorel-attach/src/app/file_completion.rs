//! Files of the project that complete a word with `@`, found by the daemon.

use scorel_client::ClientError;
use scorel_proto::{FindFilesParams, FindFilesResult, ProjectId};

use super::candidate::{Candidate, Completion};
use super::state::App;
use crate::call::Call;

/// The files that are asked for: a few screens of the list.
const MAX_FILES: u32 = 30;

/// The longest word that the daemon looks for, in bytes.
const MAX_WORD: usize = 256;

impl App {
    /// The candidates of the last word that still fit, until the daemon has answered for this one.
    pub(super) fn files_with(&mut self, word: &str) -> Vec<Candidate> {
        self.find_files(word);
        let known = self.completion.as_ref().filter(|it| it.sign == '@');
        let known = known.map_or(&[][..], |it| &it.candidates);
        let fits = |it: &&Candidate| has_in_order(&it.text, word);
        known.iter().filter(fits).cloned().collect()
    }

    /// Takes the daemon's answer. What has been typed since is asked for now: there is one call at a time.
    pub(super) fn files_found(
        &mut self,
        asked: &FindFilesParams,
        found: Result<FindFilesResult, ClientError>,
    ) {
        self.is_finding = false;
        let project_id = self.project_id();
        let Some(completion) = self.completion.as_mut().filter(|it| it.sign == '@') else {
            return;
        };
        if completion.word != asked.query || project_id != Some(asked.project_id) {
            let word = completion.word.clone();
            return self.find_files(&word);
        }
        // A project that cannot be listed has nothing to choose from; what is typed can be sent.
        let files = found.map(|found| found.files).unwrap_or_default();
        let chosen = completion.candidates.get(completion.at).cloned();
        completion.candidates = candidates(files);
        // The file that was gone to stays chosen.
        let at = chosen.filter(|_| completion.at > 0);
        let at = at.and_then(|chosen| completion.candidates.iter().position(|it| *it == chosen));
        completion.at = at.unwrap_or(0);
    }

    /// Returns whether a list is about to be shown.
    pub(super) fn awaits_files(&self) -> bool {
        let is_empty =
            |it: &Completion| it.sign == '@' && !it.is_closed && it.candidates.is_empty();
        self.is_finding && self.completion.as_ref().is_some_and(is_empty)
    }

    fn find_files(&mut self, word: &str) {
        let Some(project_id) = self.project_id() else {
            return;
        };
        if self.is_finding || word.len() > MAX_WORD {
            return;
        }
        self.is_finding = true;
        self.call(Call::FindFiles(Box::new(FindFilesParams {
            project_id,
            query: word.to_owned(),
            limit: Some(MAX_FILES),
        })));
    }

    fn project_id(&self) -> Option<ProjectId> {
        Some(self.session.as_ref()?.facts.session.project_id)
    }
}

/// Files that a message can mention: a mention ends at white space, and a line at a control character.
fn candidates(files: Vec<String>) -> Vec<Candidate> {
    let can_mention =
        |path: &String| !path.contains(|it: char| it.is_whitespace() || it.is_control());
    let files = files.into_iter().filter(can_mention);
    let candidate = |text| Candidate {
        text,
        about: String::new(),
    };
    files.map(candidate).collect()
}

/// Returns whether a path has the characters of a word in their order, as the daemon looks for it.
fn has_in_order(path: &str, word: &str) -> bool {
    let (path, word) = (path.to_lowercase(), word.to_lowercase());
    let mut rest = path.chars();
    word.chars().all(|wanted| rest.any(|it| it == wanted))
}
