use std::io;
use std::path::Path;
use std::time::Duration;

use scorel_files::file_names;
use scorel_proto::FindFilesResult;

use super::file_match::{FileMatch, Folded};

/// The files of a project that are listed: what a person picks from by name.
const MAX_FILES: usize = 200_000;

/// The time that a walk may take. A project on a slow network file system is listed in part.
const WALK: Duration = Duration::from_secs(10);

/// The files of a project as they were at a moment.
#[derive(Debug)]
pub(super) struct ListedFiles {
    files: Vec<ListedFile>,
    complete: bool,
}

#[derive(Debug)]
struct ListedFile {
    path: Box<str>,
    /// The path in lower case, where that is another text.
    folded: Option<Box<str>>,
}

impl ListedFile {
    fn new(path: String) -> Self {
        let folded = path.to_lowercase();
        Self {
            folded: (folded != path).then(|| folded.into()),
            path: path.into(),
        }
    }

    fn folded(&self) -> &str {
        self.folded.as_deref().unwrap_or(&self.path)
    }
}

impl ListedFiles {
    /// Lists a project. Blocks.
    ///
    /// # Errors
    ///
    /// If the project cannot be listed.
    pub(super) fn list(directory: &Path) -> io::Result<Self> {
        let names = file_names(directory, MAX_FILES, WALK)?;
        Ok(Self {
            files: names.paths.into_iter().map(ListedFile::new).collect(),
            complete: names.complete,
        })
    }

    /// The best `limit` matches. Looks at every path: to be called where that does not block others.
    pub(super) fn find(&self, query: &str, limit: usize) -> FindFilesResult {
        let query = Folded::new(query);
        let matched = self.files.iter().filter_map(|file| {
            let found = FileMatch::of(&query, file.folded())?;
            Some((found, &*file.path))
        });
        let mut matched: Vec<_> = matched.collect();
        if matched.len() > limit {
            matched.select_nth_unstable(limit);
            matched.truncate(limit);
        }
        matched.sort_unstable();
        FindFilesResult {
            files: matched.iter().map(|(_, path)| (*path).to_owned()).collect(),
            complete: self.complete,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(paths: &[&str], query: &str, limit: usize) -> Vec<String> {
        let files = paths.iter().map(|path| ListedFile::new((*path).to_owned()));
        let listed = ListedFiles {
            files: files.collect(),
            complete: true,
        };
        listed.find(query, limit).files
    }

    #[test]
    fn what_has_the_query_in_its_name_comes_first() {
        let paths = [
            "parse/of/other.rs",
            "src/p_a_r_s_e.rs",
            "src/deparse.rs",
            "src/line_parse.rs",
            "src/parser.rs",
            "src/parse",
            "docs/Parse.md",
            "nothing",
        ];
        assert_eq!(
            found(&paths, "PARSE", 100),
            [
                "src/parse",
                "docs/Parse.md",
                "src/parser.rs",
                "src/line_parse.rs",
                "src/deparse.rs",
                "parse/of/other.rs",
                "src/p_a_r_s_e.rs",
            ]
        );
    }

    #[test]
    fn a_limit_keeps_the_best() {
        let paths = ["c/long/way", "b/way", "a/way", "way"];
        assert_eq!(found(&paths, "way", 2), ["way", "a/way"]);
        assert_eq!(found(&paths, "", 2), ["way", "a/way"]);
    }

    #[test]
    fn letters_of_any_script_are_compared_without_case() {
        assert_eq!(found(&["Äpfel/ÖL.txt"], "öl", 9), ["Äpfel/ÖL.txt"]);
        assert_eq!(found(&["Äpfel/ÖL.txt"], "pfö", 9), ["Äpfel/ÖL.txt"]);
        assert!(found(&["Äpfel/ÖL.txt"], "x", 9).is_empty());
    }

    #[test]
    fn a_query_may_be_a_part_of_a_path() {
        let paths = ["src/a/mod.rs", "src/b/mod.rs", "xsrc/b/y/mod.rs"];
        assert_eq!(
            found(&paths, "b/mod", 9),
            ["src/b/mod.rs", "xsrc/b/y/mod.rs"]
        );
    }
}
