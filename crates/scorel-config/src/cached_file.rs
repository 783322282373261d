use std::path::Path;

use scorel_home::trusted_file::Stamp;
use scorel_proto::ConfigProblem;
use tracing::{info, warn};

use super::ConfigError;
use super::text_keys::TextKeys;

/// The stamp of a file: `Some(None)` if there is no file, `None` if that is not known.
pub(super) type SeenStamp = Option<Option<Stamp>>;

/// The last valid content of a configuration file.
#[derive(Debug)]
pub(super) struct CachedFile<T> {
    /// The stamp that was read; `None` to read again next time.
    seen: SeenStamp,
    content: FileContent<T>,
    problem: Option<ConfigProblem>,
}

/// A file's text and its meaning; the defaults if there is no file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FileContent<T> {
    /// `None` if there is no file.
    pub stamp: Option<Stamp>,
    pub meaning: T,
    pub text: String,
}

/// What a look at a file found.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct FileNews {
    /// The keys whose values are not what they were; `None` if the same content is in effect.
    pub keys: Option<Vec<String>>,
    /// Whether the file is gone.
    pub removed: bool,
    /// Whether the file became valid or invalid, or is invalid in another way.
    pub judged: bool,
}

impl FileNews {
    pub(super) const fn is_any(&self) -> bool {
        self.keys.is_some() || self.judged
    }
}

impl<T: PartialEq> CachedFile<T> {
    pub(crate) fn new(content: FileContent<T>) -> Self {
        Self {
            seen: settled(content.stamp),
            content,
            problem: None,
        }
    }

    /// A file that is read at the first look.
    pub(super) const fn unread(absent: T) -> Self {
        Self {
            seen: None,
            content: FileContent::absent(absent),
            problem: None,
        }
    }

    pub(crate) const fn meaning(&self) -> &T {
        &self.content.meaning
    }

    /// The text that is in effect.
    pub(crate) fn text(&self) -> &str {
        &self.content.text
    }

    /// Why the file as it is now is not in effect.
    pub(crate) const fn problem(&self) -> Option<&ConfigProblem> {
        self.problem.as_ref()
    }

    /// Reads the file again if its stamp, which is `now`, has changed. `read` gets the content that is in effect,
    /// if there is a file.
    pub(super) fn refresh(
        &mut self,
        path: &Path,
        now: SeenStamp,
        read: impl FnOnce(Option<&FileContent<T>>) -> Result<FileContent<T>, ConfigError>,
    ) -> FileNews {
        if self.seen.is_some() && self.seen == now {
            return FileNews::default();
        }
        let known = self.content.stamp.is_some().then_some(&self.content);
        let (seen, read) = match read(known) {
            Ok(content) => (settled(content.stamp), Ok(content)),
            Err(error) => (now.and_then(settled), Err(error.problem())),
        };
        self.seen = seen;
        let judged = self.judge(path, read.as_ref().err());
        let Ok(content) = read else {
            return FileNews {
                judged,
                ..FileNews::default()
            };
        };
        let keys = self.content.differences(&content);
        let removed = content.stamp.is_none() && self.content.stamp.is_some();
        if removed {
            warn!(
                ?path,
                "a configuration file was removed: its defaults apply"
            );
        }
        let is_other = content.meaning != self.content.meaning;
        let is_news = is_other || removed || !keys.is_empty();
        self.content.stamp = content.stamp;
        self.content.text = content.text;
        // Equal content keeps the old value, so that whatever was derived from it stays valid.
        if is_other {
            self.content.meaning = content.meaning;
        }
        FileNews {
            keys: is_news.then_some(keys),
            removed,
            judged,
        }
    }

    fn judge(&mut self, path: &Path, problem: Option<&ConfigProblem>) -> bool {
        if self.problem.as_ref() == problem {
            return false;
        }
        match problem {
            Some(problem) => warn!("configuration: {problem}"),
            None => info!(?path, "configuration is valid again"),
        }
        self.problem = problem.cloned();
        true
    }
}

impl<T> FileContent<T> {
    pub(super) const fn absent(meaning: T) -> Self {
        Self {
            stamp: None,
            meaning,
            text: String::new(),
        }
    }

    /// The keys whose values differ.
    fn differences(&self, other: &Self) -> Vec<String> {
        if self.text == other.text {
            return Vec::new();
        }
        let (before, after) = (
            TextKeys::of(&self.text).values(),
            TextKeys::of(&other.text).values(),
        );
        let gone = before.keys().filter(|key| !after.contains_key(*key));
        let new = after.iter();
        let new = new.filter(|(key, value)| before.get(*key) != Some(value));
        let mut keys: Vec<_> = gone.chain(new.map(|(key, _)| key)).cloned().collect();
        keys.sort_unstable();
        keys
    }
}

/// A stamp too recent to tell two changes apart is not kept, so the file is read again next time.
fn settled(stamp: Option<Stamp>) -> SeenStamp {
    match stamp {
        Some(stamp) if !stamp.is_settled() => None,
        other => Some(other),
    }
}
