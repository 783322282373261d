//! The files of a project that a command names.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::listed_file::ListedFile;

/// Paths that are looked at for one command.
const MAX_PATHS: usize = 256;

/// Spellings of the project's directory in a shell line.
const PROJECT: [&str; 7] = [
    "${CLAUDE_PROJECT_DIR}",
    "$CLAUDE_PROJECT_DIR",
    "$(git rev-parse --show-toplevel)",
    "`git rev-parse --show-toplevel`",
    "$(pwd)",
    "${PWD}",
    "$PWD",
];

/// The characters that separate the words of a line in a word, such as that of `sh -c`.
const SEPARATORS: &[char] = &[
    ' ', '\t', '\n', '\'', '"', '`', '(', ')', '{', '}', ';', '&', '|', '<', '>', '=', '$', '!',
    ',', ':',
];

/// The files of a project that a command names: its words that are files by now.
///
/// A word counts more often than a shell would take it for a file, never less: a file too much is one more that has to stay
/// as it is. Globs, variables and what the files load in turn are not followed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NamedFiles {
    project: PathBuf,
    declared_in: PathBuf,
    /// Below the project, without `.` and `..`.
    paths: BTreeSet<PathBuf>,
    /// True if there are more than are looked at.
    has_more: bool,
}

impl NamedFiles {
    /// Those of a shell line that the file `declared_in` has.
    pub fn of_line(project: &Path, declared_in: PathBuf, line: &str) -> Self {
        Self::of_words(project, declared_in, words(&with_project(line)))
    }

    /// Those of the words of a command that no shell reads.
    pub fn of_words(
        project: &Path,
        declared_in: PathBuf,
        words: impl IntoIterator<Item = String>,
    ) -> Self {
        let mut named = Self {
            project: project.to_owned(),
            declared_in,
            paths: BTreeSet::new(),
            has_more: false,
        };
        let mut directories = vec![PathBuf::new()];
        let mut after_cd = false;
        for word in words {
            let word = with_project(&word);
            let mut parts = vec![word.as_str()];
            parts.extend(word.split(SEPARATORS));
            for part in parts.into_iter().filter(|part| !part.is_empty()) {
                if after_cd && let Some(dir) = named.below(Path::new(""), part) {
                    directories.push(dir);
                }
                after_cd = matches!(part, "cd" | "pushd");
                for dir in &directories {
                    let path = named.below(dir, part);
                    path.into_iter().for_each(|path| named.add(path));
                }
            }
        }
        named
    }

    /// The file that declares the command.
    pub fn declared_in(&self) -> &Path {
        &self.declared_in
    }

    /// The files that are named now, below the project.
    pub fn present(&self) -> impl Iterator<Item = &Path> {
        let is_file = |path: &&PathBuf| self.project.join(path).is_file();
        self.paths.iter().filter(is_file).map(PathBuf::as_path)
    }

    /// The files as they are now.
    ///
    /// # Errors
    /// Why they cannot be trusted: one is behind a link, or there are too many.
    pub(super) fn list(&self) -> Result<Vec<ListedFile>, String> {
        if self.has_more {
            return Err(format!("its command has more than {MAX_PATHS} words"));
        }
        let failed = |error: std::io::Error| format!("{}: {error}", self.project.display());
        let root = self.project.canonicalize().map_err(failed)?;
        let mut files = Vec::new();
        for path in self.present() {
            let shown = path.to_string_lossy().into_owned();
            let place = root.join(path);
            // A link could lead to another file tomorrow, or out of the project.
            if !place.canonicalize().is_ok_and(|real| real == place) {
                return Err(format!("{shown} is behind a link"));
            }
            let metadata = fs::symlink_metadata(&place);
            let metadata = metadata.map_err(|error| format!("{shown}: {error}"))?;
            files.push(ListedFile::of(place, shown, &metadata)?);
        }
        Ok(files)
    }

    /// The path of a word below the project; `None` if it leads out of it.
    fn below(&self, dir: &Path, word: &str) -> Option<PathBuf> {
        let word = Path::new(word);
        let path = match word.strip_prefix(&self.project) {
            Ok(below) => below.to_owned(),
            Err(_) if word.is_absolute() => return None,
            Err(_) => dir.join(word),
        };
        let mut below = PathBuf::new();
        for part in path.components() {
            match part {
                Component::Normal(name) => below.push(name),
                Component::ParentDir => below = below.parent()?.to_owned(),
                Component::CurDir => {}
                Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        Some(below)
    }

    fn add(&mut self, path: PathBuf) {
        if path.as_os_str().is_empty() {
            return;
        }
        if self.paths.len() < MAX_PATHS {
            self.paths.insert(path);
        } else if !self.paths.contains(&path) {
            self.has_more = true;
        }
    }
}

/// The line with `.` for the project's directory.
fn with_project(line: &str) -> String {
    let mut line = line.to_owned();
    for spelling in PROJECT {
        line = line.replace(spelling, ".");
    }
    // `${CLAUDE_PROJECT_DIR:-.}` and the like.
    while let Some((before, rest)) = line.split_once("${CLAUDE_PROJECT_DIR") {
        let after = rest.split_once('}').map_or("", |(_, after)| after);
        line = format!("{before}.{after}");
    }
    line
}

/// The words of a shell line, without their quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        let word = words.last_mut();
        match letter {
            '\'' | '"' if quote == Some(letter) => quote = None,
            '\'' | '"' if quote.is_none() => quote = Some(letter),
            '\\' if quote != Some('\'') => {
                let next = letters.next();
                word.into_iter()
                    .zip(next)
                    .for_each(|(word, it)| word.push(it));
            }
            ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' if quote.is_none() => {
                words.push(String::new());
            }
            _ => word.into_iter().for_each(|word| word.push(letter)),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn project() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let project = dir.path().canonicalize().unwrap().join("a project");
        fs::create_dir_all(project.join("tools/deep er")).unwrap();
        for file in ["a.sh", "tools/b.py", "tools/deep er/c.js", "d.json", "-x"] {
            fs::write(project.join(file), file).unwrap();
        }
        (dir, project)
    }

    #[test]
    fn the_words_of_a_command_that_are_files_of_the_project_are_named() {
        let (_dir, project) = project();
        let inside = project.to_str().unwrap();
        for (line, expected) in [
            ("a.sh", "a.sh"),
            ("./a.sh --fast", "a.sh"),
            ("\"$CLAUDE_PROJECT_DIR\"/tools/b.py", "tools/b.py"),
            (
                "\"$CLAUDE_PROJECT_DIR/tools/deep er/c.js\"",
                "tools/deep er/c.js",
            ),
            (
                "$CLAUDE_PROJECT_DIR/tools/deep\\ er/c.js",
                "tools/deep er/c.js",
            ),
            ("node ${CLAUDE_PROJECT_DIR:-.}/a.sh", "a.sh"),
            ("'INSIDE/a.sh'", "a.sh"),
            ("python3 tools/b.py --config=d.json", "d.json|tools/b.py"),
            (
                "sh -c './a.sh; exec tools/b.py <d.json'",
                "a.sh|d.json|tools/b.py",
            ),
            ("cd tools && ./b.py", "tools/b.py"),
            (
                "cd \"$CLAUDE_PROJECT_DIR/tools\" && python3 b.py",
                "tools/b.py",
            ),
            ("$(git rev-parse --show-toplevel)/a.sh", "a.sh"),
            ("tools/../a.sh ../../etc/passwd /etc/passwd", "a.sh"),
            ("A=d.json X=1 ./a.sh;tools/b.py", "a.sh|d.json|tools/b.py"),
            ("jq -r .x | xargs echo", ""),
            ("tools", ""),
        ] {
            let line = line.replace("INSIDE", inside);
            let named = NamedFiles::of_line(&project, PathBuf::new(), &line);
            let files = named.list().unwrap();
            let paths: Vec<_> = files.iter().map(|it| it.path.as_str()).collect();
            assert_eq!(paths.join("|"), expected, "{line}");
        }
        let words = ["node", "tools/deep er/c.js", "--x=a.sh"].map(str::to_owned);
        let named = NamedFiles::of_words(&project, PathBuf::new(), words);
        assert_eq!(named.present().count(), 2);
    }

    #[test]
    fn what_cannot_be_held_still_is_refused() {
        let (_dir, project) = project();
        symlink(project.join("a.sh"), project.join("l.sh")).unwrap();
        symlink(project.join("tools"), project.join("t")).unwrap();
        for line in ["./l.sh", "python3 t/b.py"] {
            let error = NamedFiles::of_line(&project, PathBuf::new(), line).list();
            assert!(error.unwrap_err().ends_with("is behind a link"), "{line}");
        }
        let words = (0..=MAX_PATHS).map(|it| it.to_string());
        let named = NamedFiles::of_words(&project, PathBuf::new(), words);
        assert!(named.list().unwrap_err().contains("more than 256 words"));
    }
}
