use std::path::Path;

use scorel_guidance::trust::{ItemSource, NamedFiles, ProjectItem};

use super::entries::entries;

/// Why none can be trusted: a later version would run what was never shown as running.
const NOT_RUN: &str = "this version runs no workflows";

/// The workflows of a project: files, or directories.
pub(super) fn items(scorel: &Path) -> Vec<ProjectItem> {
    let items = entries(&scorel.join("workflows"))
        .into_iter()
        .map(|(name, path)| {
            let source = match path.is_dir() {
                true => ItemSource::Directory(path),
                false => {
                    let directory = path.parent().unwrap_or(scorel);
                    ItemSource::Named(NamedFiles::of_words(
                        directory,
                        path.clone(),
                        [name.clone()],
                    ))
                }
            };
            let id = name
                .rsplit_once('.')
                .map_or(name.as_str(), |(stem, _)| stem);
            ProjectItem {
                source,
                problem: Some(NOT_RUN.to_owned()),
                ..ProjectItem::directory(format!("workflow:{id}"), scorel.to_owned())
            }
        });
    items.collect()
}
