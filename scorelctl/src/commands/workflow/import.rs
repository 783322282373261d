use std::path::Path;

use scorel_client::{ClientError, DaemonHome};
use scorel_proto::counted;
use scorel_screen::escape::one_line;
use scorel_workflow::PackageId;
use serde_json::json;

use super::packages::{DIR, WorkflowPackages};
use super::skill_files::SkillFiles;
use super::skill_package::SkillPackage;
use crate::commands::install::{InstallDir, Installed};
use crate::failure::Failure;
use crate::output::Output;

/// Makes a package of a skill with steps, and adds it.
pub(super) fn import(
    source: &Path,
    id: Option<&PackageId>,
    replace: bool,
    home: &DaemonHome,
    output: &mut Output,
) -> Result<(), Failure> {
    let SkillPackage {
        files,
        steps,
        others,
    } = SkillPackage::of(SkillFiles::read(source)?, id)?;
    home.create().map_err(ClientError::from)?;
    let dir = InstallDir::<WorkflowPackages>::open(&home.path().join(DIR))?;
    let Installed { id, path, replaced } = dir.add_files(&files.into_files(), id, replace)?;
    let waits: Vec<&str> = steps
        .iter()
        .filter(|it| it.has_menu)
        .map(|it| it.id.as_str())
        .collect();
    let ids: Vec<&str> = steps.iter().map(|it| it.id.as_str()).collect();
    output.result(
        &json!({ "id": id, "path": path, "replaced": replaced, "steps": ids, "waits": waits, "others": others }),
        |output| {
            let steps = counted(ids.len() as u64, "step");
            output.line(&format!("imported {id}: {steps}, {} with a menu", waits.len()))
        },
    )?;
    for path in others {
        output.note(&format!(
            "{} is a file of the package, and not a step",
            one_line(&path)
        ))?;
    }
    Ok(())
}
