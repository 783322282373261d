use std::path::Path;

use scorel_guidance::trust::ProjectItem;

use super::entries::entries;

/// The directory of extensions, in a project's and in the user's home.
const DIRECTORY: &str = "extensions";

/// The extensions of a project. Those of the user with the same ids stay.
pub(super) fn items(scorel: &Path, home: &Path) -> Vec<ProjectItem> {
    let found = entries(&scorel.join(DIRECTORY)).into_iter();
    let directories = found.filter(|(_, dir)| dir.symlink_metadata().is_ok_and(|it| it.is_dir()));
    let items = directories.map(|(id, dir)| ProjectItem {
        is_shadowed: home.join(DIRECTORY).join(&id).exists(),
        ..ProjectItem::directory(format!("extension:{id}"), dir)
    });
    items.collect()
}
