use std::collections::BinaryHeap;
use std::io;
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::time::Duration;

use scorel_engine::ReadFilter;
use scorel_files::visit_files;
use scorel_proto::FindFilesResult;

use super::file_match::{FileMatch, Folded};

/// The files of a project that are listed: what a person picks from by name.
const MAX_FILES: usize = 200_000;

/// The bytes of their paths, with those in lower case. Paths of a project have some 60 each.
const MAX_TEXT: usize = 64 * 1024 * 1024;

/// The time that a walk may take. A project on a slow network file system is listed in part.
const WALK: Duration = Duration::from_secs(10);

/// The files of a project as they were at a moment.
#[derive(Debug, Default)]
pub(crate) struct ListedFiles {
    /// All paths, one after another: the allocator gives one large piece back, and keeps many small ones.
    text: String,
    files: Vec<ListedFile>,
    complete: bool,
}

/// Where the text has a path, and the path in lower case, which mostly is the same.
#[derive(Debug)]
struct ListedFile {
    path: Range<u32>,
    folded: Range<u32>,
}

impl ListedFiles {
    /// Lists those files of a project that are admitted; all, without a filter. Blocks.
    ///
    /// # Errors
    ///
    /// If the project cannot be listed.
    pub(crate) fn list(directory: &Path, admitted: Option<&dyn ReadFilter>) -> io::Result<Self> {
        let mut listed = Self::default();
        let complete = visit_files(directory, WALK, |path, real| {
            match admitted.is_none_or(|it| it.may_read(real)) {
                true => listed.add(path),
                false => ControlFlow::Continue(()),
            }
        })?;
        listed.complete = complete;
        listed.text.shrink_to_fit();
        listed.files.shrink_to_fit();
        Ok(listed)
    }

    /// Adds a file, if there is room for it.
    fn add(&mut self, path: &str) -> ControlFlow<()> {
        let lower = path.to_lowercase();
        let has_room = self.text.len() + path.len() + lower.len() <= MAX_TEXT;
        if self.files.len() == MAX_FILES || !has_room {
            return ControlFlow::Break(());
        }
        let listed = self.append(path);
        let folded = match lower == path {
            true => listed.clone(),
            false => self.append(&lower),
        };
        let path = listed;
        self.files.push(ListedFile { path, folded });
        ControlFlow::Continue(())
    }

    fn append(&mut self, text: &str) -> Range<u32> {
        let start = self.end();
        self.text.push_str(text);
        start..self.end()
    }

    fn end(&self) -> u32 {
        u32::try_from(self.text.len()).expect("the text is short enough")
    }

    fn text(&self, part: &Range<u32>) -> &str {
        &self.text[part.start as usize..part.end as usize]
    }

    /// The best `limit` matches. Looks at every path: to be called where that does not block others.
    pub(crate) fn find(&self, query: &str, limit: usize) -> FindFilesResult {
        let query = Folded::new(query);
        // A max-heap: the worst of the best is on top.
        let mut best = BinaryHeap::with_capacity(limit);
        for file in &self.files {
            let Some(found) = FileMatch::of(&query, self.text(&file.folded)) else {
                continue;
            };
            let found = (found, self.text(&file.path));
            if best.len() == limit {
                if best.peek().is_none_or(|worst| found >= *worst) {
                    continue;
                }
                best.pop();
            }
            best.push(found);
        }
        let best = best.into_sorted_vec().into_iter();
        FindFilesResult {
            files: best.map(|(_, path)| path.to_owned()).collect(),
            complete: self.complete,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(paths: &[&str], query: &str, limit: usize) -> Vec<String> {
        let mut listed = ListedFiles::default();
        for path in paths {
            assert!(listed.add(path).is_continue());
        }
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
        assert!(found(&["Äpfel/ÖL.txt"], "q", 9).is_empty());
    }

    #[test]
    fn a_query_may_be_a_part_of_a_path() {
        let paths = ["src/a/mod.rs", "src/b/mod.rs", "xsrc/b/y/mod.rs"];
        assert_eq!(
            found(&paths, "b/mod", 9),
            ["src/b/mod.rs", "xsrc/b/y/mod.rs"]
        );
    }

    #[test]
    fn a_list_has_room_for_so_many_files_and_so_much_text() {
        let mut listed = ListedFiles::default();
        let all = (0..MAX_FILES).all(|number| listed.add(&number.to_string()).is_continue());
        assert!(all && listed.add("more").is_break());
        assert_eq!(listed.find("199999", 9).files, ["199999"]);
        let mut listed = ListedFiles::default();
        let long = "A".repeat(MAX_TEXT / 4);
        assert!(listed.add(&long).is_continue() && listed.add(&long).is_continue());
        assert!(listed.add("more").is_break());
    }
}
