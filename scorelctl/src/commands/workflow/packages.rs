use std::path::Path;

use scorel_workflow::{MANIFEST, Package, PackageId};

use super::read_files::read_files;
use crate::commands::install::{InstallWords, Installable};

/// The directory of packages in a home.
pub(super) const DIR: &str = "workflows";

/// Workflow packages, as a kind of directory in the home.
#[derive(Debug)]
pub(super) struct WorkflowPackages;

impl Installable for WorkflowPackages {
    type Id = PackageId;

    const WORDS: &'static InstallWords = &InstallWords {
        noun: "workflow",
        one: "a workflow package",
        plural: "workflow packages",
        exists: "workflow_exists",
        unusable: "workflow_invalid",
        list_hint: "`scorelctl workflow list` lists them",
        check_hint: "`scorelctl workflow check SOURCE` tells all that is wrong; `--id ID` gives it another name",
    };

    fn is_one(dir: &Path) -> bool {
        dir.join(MANIFEST).is_file()
    }

    fn identify(root: &Path, id: Option<&PackageId>) -> Result<PackageId, String> {
        let files = read_files(root).map_err(|error| error.to_string())?;
        let package = Package::read(&files).package.map_err(|problems| {
            problems
                .first()
                .map(ToString::to_string)
                .unwrap_or_default()
        })?;
        match id {
            Some(id) => Ok(id.clone()),
            None => {
                let own = package.manifest.name.parse::<PackageId>();
                own.map_err(|error| {
                    format!(
                        "{MANIFEST}: /name: `{}` is not an id: {error}",
                        package.manifest.name
                    )
                })
            }
        }
    }
}
