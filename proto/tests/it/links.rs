//! Links in the documentation lead somewhere, and tables of contents are complete.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// The pages outside of `docs`.
const OTHER_PAGES: [&str; 6] = [
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
    "systemd/README.md",
    "tests/clients/README.md",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .unwrap()
}

/// Every page with its text.
fn pages() -> BTreeMap<PathBuf, String> {
    let root = root();
    let mut paths: Vec<PathBuf> = OTHER_PAGES.iter().map(|page| root.join(page)).collect();
    for directory in ["docs", "docs/design"] {
        let entries = std::fs::read_dir(root.join(directory)).unwrap();
        paths.extend(entries.map(|entry| entry.unwrap().path()));
    }
    let pages = paths
        .into_iter()
        .filter(|path| path.extension().is_some_and(|e| e == "md"));
    pages
        .map(|path| (path.clone(), std::fs::read_to_string(path).unwrap()))
        .collect()
}

/// How many headings of each page have an anchor.
fn anchors_of(pages: &BTreeMap<PathBuf, String>) -> BTreeMap<&Path, BTreeMap<String, usize>> {
    let of_page = |(path, text)| {
        let mut anchors = BTreeMap::new();
        for (_, title) in headings(text) {
            *anchors.entry(anchor(title)).or_default() += 1;
        }
        (path, anchors)
    };
    pages
        .iter()
        .map(|(path, text)| (path.as_path(), text.as_str()))
        .map(of_page)
        .collect()
}

/// The level and the title of each heading.
fn headings(page: &str) -> impl Iterator<Item = (usize, &str)> {
    page.split("```")
        .step_by(2)
        .flat_map(str::lines)
        .filter_map(|line| {
            let title = line.trim_start_matches('#');
            let level = line.len() - title.len();
            (level > 0 && title.starts_with(' ')).then(|| (level, title.trim()))
        })
}

/// A heading's anchor, as the usual renderers make it.
fn anchor(heading: &str) -> String {
    let text = heading.to_lowercase();
    text.chars()
        .filter(|char| char.is_alphanumeric() || matches!(char, ' ' | '-' | '_'))
        .map(|char| if char == ' ' { '-' } else { char })
        .collect()
}

/// The targets of the links in a text.
fn links(prose: &str) -> impl Iterator<Item = &str> {
    let targets = prose.split("](").skip(1);
    targets.map(|rest| rest.split(')').next().unwrap_or_default())
}

/// `..` taken out, without asking the disk: the target may not exist.
fn normalized(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(normal.pop()),
            other => normal.push(other),
        }
    }
    normal
}

/// A link in one of the pages.
struct Link<'a> {
    page: &'a Path,
    text: &'a str,
    target: PathBuf,
    fragment: Option<&'a str>,
}

impl<'a> Link<'a> {
    /// Nothing for a URL.
    fn new(page: &'a Path, text: &'a str) -> Option<Self> {
        if text.contains("://") {
            return None;
        }
        let (file, fragment) = match text.split_once('#') {
            Some((file, fragment)) => (file, Some(fragment)),
            None => (text, None),
        };
        let target = match file {
            "" => page.to_owned(),
            file => normalized(&page.parent()?.join(file)),
        };
        Some(Self {
            page,
            text,
            target,
            fragment,
        })
    }
}

fn links_between(pages: &BTreeMap<PathBuf, String>) -> impl Iterator<Item = Link<'_>> {
    pages.iter().flat_map(|(page, text)| {
        let prose = text.split("```").step_by(2);
        prose
            .flat_map(links)
            .filter_map(|text| Link::new(page, text))
    })
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let pages = pages();
    let anchors = anchors_of(&pages);
    let mut count = 0;
    for Link {
        page,
        text,
        target,
        fragment,
    } in links_between(&pages)
    {
        let place = page.display();
        assert!(target.exists(), "{place}: {text}: no such file");
        if let Some(fragment) = fragment {
            let found = anchors
                .get(&*target)
                .is_some_and(|anchors| anchors.contains_key(fragment));
            assert!(found, "{place}: {text}: no such heading");
        }
        count += 1;
    }
    assert!(count > 500, "only {count} links were found");
}

/// A link to a heading that occurs twice on its page would lead to the first of the two.
#[test]
fn no_link_is_ambiguous() {
    let pages = pages();
    let anchors = anchors_of(&pages);
    for Link {
        page,
        text,
        target,
        fragment,
    } in links_between(&pages)
    {
        let Some(fragment) = fragment else { continue };
        let same = anchors[&*target].get(fragment).copied().unwrap_or_default();
        assert!(same < 2, "{}: {text}: {same} such headings", page.display());
    }
}

/// The level down to which a page's table of contents lists its headings.
fn listed_level(page: &Path) -> usize {
    match page.file_name().and_then(|name| name.to_str()) {
        Some("protocol-reference.md") => 4,
        Some("protocol.md") => 3,
        _ => 2,
    }
}

#[test]
fn tables_of_contents_list_every_section() {
    let mut count = 0;
    for (path, text) in pages() {
        let Some((_, rest)) = text.split_once("## Contents\n") else {
            continue;
        };
        let (contents, sections) = rest.split_once("\n## ").unwrap();
        let listed: BTreeSet<&str> = links(contents).collect();
        let sections = format!("## {sections}");
        for (level, title) in headings(&sections) {
            // The variants of a type belong to the type.
            let is_listed =
                level <= listed_level(&path) && !title.contains(": ") && !title.starts_with('[');
            let link = format!("#{}", anchor(title));
            assert!(
                !is_listed || listed.contains(link.as_str()),
                "{}: {title} is not listed",
                path.display()
            );
        }
        count += 1;
    }
    assert!(count > 6, "only {count} tables were found");
}
