use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use scorel_fs::open_regular;

/// The beginning of the files' names; the day follows, so they sort by age.
const PREFIX: &str = "scoreld.log.";

/// The amount that is read at once, backwards from the end.
const CHUNK: u64 = 64 * 1024;

/// The log files in a home. The daemon begins one each day and deletes the oldest.
#[derive(Debug)]
pub(super) struct LogFiles {
    directory: PathBuf,
}

/// The last lines of the log.
#[derive(Debug)]
pub(super) struct LastLines {
    pub(super) lines: Vec<String>,
    /// The end of the part of the newest file that was read; `None` if there is no file.
    pub(super) end: Option<ReadPlace>,
}

/// The end of the part of a file that was read. Text after its last line break is left for later.
#[derive(Debug)]
pub(super) struct ReadPlace {
    pub(super) path: PathBuf,
    pub(super) file: File,
    pub(super) offset: u64,
}

impl LogFiles {
    pub(super) const fn new(directory: PathBuf) -> Self {
        Self { directory }
    }

    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// The files, the oldest first. None if there is no directory yet.
    pub(super) fn paths(&self) -> io::Result<Vec<PathBuf>> {
        let entries = match fs::read_dir(&self.directory) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut paths = Vec::new();
        for entry in entries {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(PREFIX) {
                paths.push(entry.path());
            }
        }
        paths.sort();
        Ok(paths)
    }

    pub(super) fn last_lines(&self, count: usize) -> io::Result<LastLines> {
        let mut last = LastLines {
            lines: Vec::new(),
            end: None,
        };
        for path in self.paths()?.into_iter().rev() {
            // As the oldest it may be deleted at any moment.
            let Ok(mut file) = open_regular(File::options().read(true), &path) else {
                continue;
            };
            let (mut lines, offset) = tail(&mut file, count - last.lines.len())?;
            last.end.get_or_insert(ReadPlace { path, file, offset });
            lines.append(&mut last.lines);
            last.lines = lines;
            if last.lines.len() >= count {
                break;
            }
        }
        Ok(last)
    }
}

/// The last whole lines of a file, and where they end.
fn tail(file: &mut File, count: usize) -> io::Result<(Vec<String>, u64)> {
    let mut begin = file.metadata()?.len();
    let mut bytes = Vec::new();
    // One line break more than lines: the one before the first of them.
    while begin > 0 && bytes.iter().filter(|&&byte| byte == b'\n').count() <= count {
        let length = begin.min(CHUNK);
        begin -= length;
        file.seek(SeekFrom::Start(begin))?;
        let mut chunk = Vec::new();
        file.by_ref().take(length).read_to_end(&mut chunk)?;
        chunk.append(&mut bytes);
        bytes = chunk;
    }
    let end = bytes.iter().rposition(|&byte| byte == b'\n');
    let end = end.map_or(0, |at| at + 1);
    let text = String::from_utf8_lossy(&bytes[..end]);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.drain(..lines.len().saturating_sub(count));
    Ok((lines, begin + end as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_those_of_several_files() {
        let home = tempfile::tempdir().expect("a directory");
        let files = LogFiles::new(home.path().join("logs"));
        assert!(files.last_lines(5).expect("read").end.is_none());
        fs::create_dir(files.directory()).expect("made");
        let write = |name: &str, text: &str| {
            fs::write(files.directory().join(name), text).expect("written");
        };
        write("scoreld.log.2026-11-24", "one\ntwo\n");
        write("scoreld.log.2026-11-25", "three\nfour\nunfini");
        write("other", "x\n");
        let last = files.last_lines(3).expect("read");
        assert_eq!(last.lines, ["two", "three", "four"]);
        let end = last.end.expect("a place");
        assert!(end.path.ends_with("scoreld.log.2026-11-25"));
        assert_eq!(end.offset, 11);
        assert_eq!(files.last_lines(0).expect("read").lines.len(), 0);
        assert_eq!(files.last_lines(9).expect("read").lines.len(), 4);
    }

    #[test]
    fn a_long_file_is_read_from_its_end() {
        let home = tempfile::tempdir().expect("a directory");
        let files = LogFiles::new(home.path().to_owned());
        let text: String = (0..20_000)
            .map(|number| format!("line {number}\n"))
            .collect();
        fs::write(home.path().join("scoreld.log.2026-11-25"), &text).expect("written");
        let last = files.last_lines(12_000).expect("read");
        assert_eq!(last.lines.len(), 12_000);
        assert_eq!(last.lines[0], "line 8000");
        assert_eq!(last.end.expect("a place").offset, text.len() as u64);
    }
}
