//! Instructions of directories below the project's, shown when a tool first touches one.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::{BoxFuture, ready};
use scorel_engine::{AfterCall, Effect, Hooks, Permit, ToolCall, ToolOutcome};
use scorel_proto::{Attachment, Block};

use super::guide_file::{NAMES, read_below};

/// Bytes of one file.
const MAX_FILE: usize = 8 * 1024;

/// The deeper instructions of one session that its model has been shown.
///
/// Lives as long as the session is loaded, and forgets when the model may have lost what it read.
#[derive(Debug, Clone)]
pub struct DeeperGuides {
    /// The project's directory, links resolved.
    project: PathBuf,
    shown: Arc<Mutex<Shown>>,
}

#[derive(Debug, Default)]
struct Shown {
    epoch: u64,
    files: HashSet<PathBuf>,
}

impl DeeperGuides {
    pub fn new(project: &Path) -> Self {
        Self {
            project: project.to_owned(),
            shown: Arc::default(),
        }
    }

    /// Forgets the shown files if they were shown in another epoch.
    pub fn set_epoch(&self, epoch: u64) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.epoch != epoch {
            *shown = Shown {
                epoch,
                files: HashSet::new(),
            };
        }
    }

    /// The directories below the project that a call touches, and their parents below it.
    fn touched(&self, effects: &[Effect]) -> Vec<PathBuf> {
        let mut dirs = Vec::new();
        for effect in effects {
            let path = match effect {
                Effect::ReadPath { path } | Effect::WritePath { path, .. } => path,
                Effect::RunCommand { directory, .. } => directory,
                _ => continue,
            };
            let Ok(relative) = path.strip_prefix(&self.project) else {
                continue;
            };
            // The path itself may be a directory. If it is a file, it has no file below it.
            for dir in relative.ancestors().filter(|it| !it.as_os_str().is_empty()) {
                if !dirs.iter().any(|known| known == dir) {
                    dirs.push(dir.to_owned());
                }
            }
        }
        dirs.sort();
        dirs
    }

    /// The instructions in `dirs` that are still to be shown, outermost first.
    fn newly_shown(&self, dirs: &[PathBuf], permit: &Permit) -> Vec<Attachment> {
        let mut files = Vec::new();
        for dir in dirs {
            for name in NAMES {
                let relative = dir.join(name);
                let path = self.project.join(&relative);
                if path.symlink_metadata().is_err() {
                    continue;
                }
                let may_show = permit.reads.as_ref().is_none_or(|it| it.may_read(&path));
                // Marked even where the call reads the file itself, which shows it.
                let is_new = may_show && self.mark(&path);
                if is_new && !permit.grants_reading(&path) {
                    files.extend(self.file(&relative));
                }
                break;
            }
        }
        files
    }

    fn mark(&self, path: &Path) -> bool {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.files.insert(path.to_owned())
    }

    /// The file for a tool's result, where it is read as instructions.
    fn file(&self, relative: &Path) -> Option<Attachment> {
        let shown = relative.to_str()?;
        let file = read_below(&self.project, shown, MAX_FILE)?;
        let content = file.content.ok()?;
        let cut = match content.cut_bytes {
            0 => String::new(),
            bytes => format!("\n[{bytes} more bytes; read the file]"),
        };
        let text = format!("{}{cut}", content.text.trim_end());
        Some(Attachment {
            path: shown.to_owned(),
            size: content.text.len() as u64 + content.cut_bytes,
            encoding: None,
            content: vec![Block::text(text)],
        })
    }
}

/// The results of a call also show the instructions of directories that it touches.
impl Hooks for DeeperGuides {
    fn name(&self) -> &'static str {
        "instructions"
    }

    fn after(
        &self,
        _: &ToolCall,
        permit: &Permit,
        outcome: &ToolOutcome,
    ) -> BoxFuture<'static, AfterCall> {
        let dirs = self.touched(&permit.granted);
        if outcome.is_error || dirs.is_empty() {
            return Box::pin(ready(AfterCall::default()));
        }
        let (guides, permit) = (self.clone(), permit.clone());
        Box::pin(async move {
            let look = move || guides.newly_shown(&dirs, &permit);
            let files = scorel_engine::spawn_blocking(look).await;
            let files = files.unwrap_or_default().into_iter();
            AfterCall {
                added: files.map(Block::Attachment).collect(),
                ..AfterCall::default()
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn instructions_below_the_project_are_shown_once_per_epoch() {
        let dir = tempfile::tempdir().unwrap();
        let project = dir.path().canonicalize().unwrap();
        fs::create_dir_all(project.join("a/b/c")).unwrap();
        fs::write(project.join("AGENTS.md"), "the project's").unwrap();
        fs::write(project.join("a/AGENTS.md"), "of a").unwrap();
        fs::write(project.join("a/b/CLAUDE.md"), "x".repeat(MAX_FILE + 3)).unwrap();
        let guides = DeeperGuides::new(&project);
        let read = |path: &str| {
            let path = project.join(path);
            let permit = Permit {
                granted: [Effect::ReadPath { path }].into(),
                ..Permit::default()
            };
            let dirs = guides.touched(&permit.granted);
            guides.newly_shown(&dirs, &permit)
        };
        assert!(read("Cargo.toml").is_empty());
        let shown = read("a/b/c/main.rs");
        assert_eq!(shown.len(), 2, "{shown:?}");
        assert_eq!(shown[0].path, "a/AGENTS.md");
        assert_eq!(shown[0].content, [Block::text("of a")]);
        assert_eq!(shown[1].size, MAX_FILE as u64 + 3);
        let cut = Block::plain_text_of(&shown[1].content);
        assert!(cut.ends_with("[3 more bytes; read the file]"));
        assert!(read("a/b/c/main.rs").is_empty());
        guides.set_epoch(1);
        assert_eq!(read("a").len(), 1);
        guides.set_epoch(2);
        assert!(read("a/AGENTS.md").is_empty(), "the call itself shows it");
        assert!(read("a/lib.rs").is_empty());
    }
}
