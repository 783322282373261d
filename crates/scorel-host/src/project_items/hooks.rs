use std::path::Path;

use scorel_config::Config;
use scorel_guidance::trust::ProjectItem;
use scorel_proto::ItemContent;

use crate::extensions::{ProjectHooks, hook_item};

/// The hooks that a project brings. What its files have besides is one item more, with the problem.
pub(super) fn items(project: &Path, config: &Config) -> Vec<ProjectItem> {
    let found = ProjectHooks::of(project, config);
    let declared = found.declared.iter();
    let mut items: Vec<_> = declared.map(|it| hook_item(project, it, config)).collect();
    if !found.left_out.is_empty() || !found.problems.is_empty() {
        let problem = match found.problems.is_empty() {
            true => "these entries are not run".to_owned(),
            false => found.problems.join("; "),
        };
        items.push(ProjectItem {
            content: ItemContent {
                not_run: found.left_out,
                ..ItemContent::default()
            },
            problem: Some(problem),
            ..ProjectItem::directory("hook:?".to_owned(), project.to_owned())
        });
    }
    items
}
