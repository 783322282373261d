use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use scorel_fs::open_regular;

use super::log_files::{LogFiles, ReadPlace};

/// The amount that is read at once. The rest comes with the next look.
const MOST: u64 = 1024 * 1024;

/// Reads the lines added to the log: to the newest file, then to the one that follows it.
#[derive(Debug)]
pub(super) struct LogFollower {
    files: LogFiles,
    place: Option<ReadPlace>,
    /// The beginning of a line whose end is not written yet.
    unfinished: Vec<u8>,
}

impl LogFollower {
    /// Begins at a place; without one, with the first file that comes to be.
    pub(super) const fn new(files: LogFiles, place: Option<ReadPlace>) -> Self {
        Self {
            files,
            place,
            unfinished: Vec::new(),
        }
    }

    pub(super) fn new_lines(&mut self) -> io::Result<Vec<String>> {
        let mut lines = Vec::new();
        loop {
            // Looked for before the file is read: once there is a newer one, it is complete.
            let next = self.next_file()?;
            let is_complete = self.read(&mut lines)?;
            let Some(next) = next.filter(|_| is_complete) else {
                return Ok(lines);
            };
            let Ok(file) = open_regular(File::options().read(true), &next) else {
                return Ok(lines);
            };
            self.end_line(&mut lines);
            self.place = Some(ReadPlace {
                path: next,
                file,
                offset: 0,
            });
        }
    }

    /// The file after the one that is read, or another one under its name.
    fn next_file(&self) -> io::Result<Option<PathBuf>> {
        let paths = self.files.paths()?;
        let Some(place) = &self.place else {
            return Ok(paths.into_iter().next());
        };
        if is_replaced(&place.path, &place.file)? {
            return Ok(Some(place.path.clone()));
        }
        Ok(paths.into_iter().find(|path| *path > place.path))
    }

    /// Returns whether all that the file has was read.
    fn read(&mut self, lines: &mut Vec<String>) -> io::Result<bool> {
        let Some(place) = &mut self.place else {
            return Ok(true);
        };
        let length = place.file.metadata()?.len();
        if length < place.offset {
            place.offset = 0;
            self.unfinished.clear();
        }
        place.file.seek(SeekFrom::Start(place.offset))?;
        let read = place
            .file
            .by_ref()
            .take(MOST)
            .read_to_end(&mut self.unfinished)? as u64;
        place.offset += read;
        let is_complete = read < MOST;
        if let Some(end) = self.unfinished.iter().rposition(|&byte| byte == b'\n') {
            let rest = self.unfinished.split_off(end + 1);
            self.end_line(lines);
            self.unfinished = rest;
        }
        Ok(is_complete)
    }

    fn end_line(&mut self, lines: &mut Vec<String>) {
        let text = String::from_utf8_lossy(&self.unfinished);
        lines.extend(text.lines().map(str::to_owned));
        self.unfinished.clear();
    }
}

/// Returns whether there is another file under the name of one that is open.
fn is_replaced(path: &Path, file: &File) -> io::Result<bool> {
    let open = file.metadata()?;
    let there = fs::metadata(path);
    Ok(there.is_ok_and(|there| (there.dev(), there.ino()) != (open.dev(), open.ino())))
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::io::Write as _;

    use super::*;

    fn append(path: &Path, text: &str) {
        let mut options = OpenOptions::new();
        let mut file = options
            .append(true)
            .create(true)
            .open(path)
            .expect("opened");
        file.write_all(text.as_bytes()).expect("written");
    }

    #[test]
    fn lines_come_whole_from_one_file_after_the_other() {
        let home = tempfile::tempdir().expect("a directory");
        let day = |day: u32| home.path().join(format!("scoreld.log.2026-11-{day}"));
        let files = LogFiles::new(home.path().to_owned());
        let mut follower = LogFollower::new(files, None);
        let mut new = move || follower.new_lines().expect("read");
        assert_eq!(new(), [""; 0]);
        append(&day(24), "one\ntw");
        assert_eq!(new(), ["one"]);
        append(&day(24), "o\nthree\nunfinished");
        append(&day(25), "four\n");
        append(&day(26), "five\n");
        assert_eq!(new(), ["two", "three", "unfinished", "four", "five"]);
        fs::write(day(26), "cut\n").expect("written");
        assert_eq!(new(), ["cut"]);
        fs::remove_file(day(26)).expect("removed");
        assert_eq!(new(), [""; 0]);
        append(&day(26), "again\n");
        assert_eq!(new(), ["again"]);
    }
}
