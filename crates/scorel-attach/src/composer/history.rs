use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;

use super::private_file;
use super::state_dir::{StateDir, file_in};

const MAX_ENTRIES: usize = 1000;
/// Longer texts are not kept.
const MAX_ENTRY: usize = 16 << 10;
const MAX_FILE: u64 = 2 << 20;

/// The messages that were sent in a project, oldest first. In the file each line is a JSON string; terminals share it.
#[derive(Debug)]
pub struct History {
    state: StateDir,
    project: String,
    entries: Vec<String>,
}

impl History {
    /// The history of a project. Lines that are damaged are skipped; one that cannot be read is empty. Blocks.
    pub fn load(state: StateDir, project: &str) -> Self {
        let mut history = Self {
            state,
            project: project.to_owned(),
            entries: Vec::new(),
        };
        let path = file_in(&history.state.at("history"), project);
        let bytes = private_file::read_end(&path, MAX_FILE).unwrap_or_default();
        let lines = bytes.split(|&byte| byte == b'\n');
        let entries = lines.filter_map(|line| serde_json::from_slice(line).ok());
        history.entries = entries.collect();
        if history.entries.len() > 2 * MAX_ENTRIES || bytes.len() as u64 == MAX_FILE {
            history.bound();
            // A history that cannot be shortened is shortened the next time.
            let _ = history.rewrite();
        }
        history.bound();
        history
    }

    /// Adds a text that was sent. What begins with a blank is not kept, as in a shell; nor is a repetition. Blocks.
    ///
    /// # Errors
    ///
    /// The disk is full, or the directory cannot be written. The text is in this history all the same.
    pub fn add(&mut self, text: &str) -> io::Result<()> {
        let is_kept = !text.trim().is_empty() && !text.starts_with(' ') && text.len() <= MAX_ENTRY;
        if !is_kept || self.entries.last().is_some_and(|last| last == text) {
            return Ok(());
        }
        self.entries.push(text.to_owned());
        self.bound();
        let mut line = serde_json::to_vec(text)?;
        line.push(b'\n');
        let path = file_in(&self.state.made("history")?, &self.project);
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .mode(0o600)
            .open(path)?;
        // In one piece: other terminals add theirs.
        file.write_all(&line)
    }

    /// The entry that is so many before the newest.
    pub fn newest(&self, index: usize) -> Option<&str> {
        let at = self.entries.len().checked_sub(index + 1)?;
        self.entries.get(at).map(String::as_str)
    }

    fn bound(&mut self) {
        let old = self.entries.len().saturating_sub(MAX_ENTRIES);
        self.entries.drain(..old);
    }

    fn rewrite(&self) -> io::Result<()> {
        let mut bytes = Vec::new();
        for entry in &self.entries {
            serde_json::to_writer(&mut bytes, entry)?;
            bytes.push(b'\n');
        }
        private_file::write(
            &file_in(&self.state.made("history")?, &self.project),
            &bytes,
        )
    }
}
