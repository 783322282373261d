use std::path::Path;

use url::Url;

/// The path in the project that a link names; `None` if it names anything else. Symbolic links are left to the daemon,
/// which follows none out of the project.
pub(super) fn path_in_project(uri: &str, work_dir: &Path) -> Option<String> {
    // Parsing takes `..` away, and a file of another host has no path.
    let url = Url::parse(uri).ok().filter(|url| url.scheme() == "file")?;
    let path = url.to_file_path().ok()?;
    let inside = path.strip_prefix(work_dir).ok()?;
    let inside = inside.to_str().filter(|path| !path.is_empty())?;
    Some(inside.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_path_in_the_project_is_one() {
        let found = |uri| path_in_project(uri, Path::new("/work/app"));
        assert_eq!(
            found("file:///work/app/src/a.rs").as_deref(),
            Some("src/a.rs")
        );
        assert_eq!(
            found("file:///work/app/a%20b.md").as_deref(),
            Some("a b.md")
        );
        assert_eq!(found("file://localhost/work/app/a").as_deref(), Some("a"));
        for outside in [
            "file:///work/a.rs",
            "file:///work/application/a.rs",
            "file:///work/app/../a.rs",
            "file:///work/app/%2e%2e/a.rs",
            "file:///work/app",
            "file://elsewhere/work/app/a.rs",
            "https://example.com/work/app/a.rs",
            "work/app/a.rs",
            "a.rs",
            "",
        ] {
            assert_eq!(found(outside), None, "{outside}");
        }
    }
}
