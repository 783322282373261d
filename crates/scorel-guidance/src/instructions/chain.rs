//! The chain of instruction files that apply to a project, the outermost first.

use std::path::{Path, PathBuf};

use super::guide_file::{GuideFile, first_below, first_own, read_below};

/// Bytes of one file.
const MAX_FILE: usize = 32 * 1024;

/// Bytes of all files of a chain.
const MAX_CHAIN: usize = 64 * 1024;

/// The last file of the chain, in the project.
const PROJECT_FILE: &str = ".scorel/instructions.md";

/// The root of the repository that the project is in; `None` if it is in none.
pub(super) fn repository(project: &Path) -> Option<&Path> {
    project.ancestors().find(|dir| dir.join(".git").exists())
}

/// The files of the user and of the project, as they are now: those of the daemon's home, of each
/// directory from the root of the [repository] down to the project, and the project's own.
pub(super) fn chain(home: &Path, project: &Path, repository: Option<&Path>) -> Vec<GuideFile> {
    let mut files: Vec<GuideFile> = first_own(home, MAX_FILE).into_iter().collect();
    for dir in directories(project, repository) {
        files.extend(first_below(&dir, MAX_FILE));
    }
    files.extend(read_below(project, PROJECT_FILE, MAX_FILE));
    cut(&mut files, MAX_CHAIN);
    files
}

/// From the root of the repository, or the project if it is in none, down to the project.
fn directories(project: &Path, root: Option<&Path>) -> Vec<PathBuf> {
    let below = |dir: &&Path| root.is_some_and(|root| dir.starts_with(root));
    let mut dirs: Vec<PathBuf> = project
        .ancestors()
        .take_while(|dir| below(dir) || *dir == project)
        .map(Path::to_owned)
        .collect();
    dirs.reverse();
    dirs
}

/// Cuts the chain to `max` bytes, the outermost files first: the files nearest to the project say the
/// most about it.
fn cut(files: &mut [GuideFile], max: usize) {
    let mut left = max;
    let texts = files.iter_mut().rev();
    for text in texts.filter_map(|file| file.content.as_mut().ok()) {
        let mut end = text.text.len().min(left);
        while !text.text.is_char_boundary(end) {
            end -= 1;
        }
        text.cut_bytes += (text.text.len() - end) as u64;
        text.text.truncate(end);
        left -= end;
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn write(path: PathBuf, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn texts(files: &[GuideFile]) -> Vec<String> {
        let text = |file: &GuideFile| file.content.clone().unwrap().text;
        files.iter().map(text).collect()
    }

    #[test]
    fn the_chain_goes_from_the_home_over_the_repository_to_the_project() {
        let dir = tempfile::tempdir().unwrap();
        let (home, root) = (dir.path().join("home"), dir.path().join("repository"));
        let project = root.join("a/b");
        fs::create_dir_all(root.join(".git")).unwrap();
        write(dir.path().join("AGENTS.md"), "above the repository");
        write(home.join("CLAUDE.md"), "home");
        write(root.join("AGENTS.md"), "root");
        write(root.join("a/CLAUDE.md"), "a");
        write(project.join("AGENTS.md"), "b");
        write(project.join("CLAUDE.md"), "not this one");
        write(project.join(".scorel/instructions.md"), "last");
        write(project.join("deeper/AGENTS.md"), "deeper");
        let found = chain(&home, &project, repository(&project));
        assert_eq!(texts(&found), ["home", "root", "a", "b", "last"]);
        fs::remove_dir(root.join(".git")).unwrap();
        assert_eq!(
            texts(&chain(&home, &project, repository(&project))),
            ["home", "b", "last"]
        );
    }

    #[test]
    fn the_outermost_file_is_cut_first() {
        let dir = tempfile::tempdir().unwrap();
        let (home, project) = (dir.path().join("home"), dir.path().join("project"));
        write(home.join("AGENTS.md"), &"h".repeat(MAX_FILE));
        write(project.join("AGENTS.md"), &"p".repeat(MAX_FILE + 7));
        write(project.join(PROJECT_FILE), &"l".repeat(MAX_FILE - 5));
        let found = chain(&home, &project, repository(&project));
        let sizes: Vec<(usize, u64)> = found
            .iter()
            .map(|file| file.content.as_ref().unwrap())
            .map(|content| (content.text.len(), content.cut_bytes))
            .collect();
        let home_left = 5;
        assert_eq!(
            sizes,
            [
                (home_left, (MAX_FILE - home_left) as u64),
                (MAX_FILE, 7),
                (MAX_FILE - 5, 0)
            ]
        );
    }
}
