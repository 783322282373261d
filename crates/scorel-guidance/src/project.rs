use std::path::PathBuf;

use scorel_proto::ProjectId;

/// The project that a session works in.
#[derive(Debug, Clone)]
pub struct SkillProject {
    pub id: ProjectId,
    pub dir: PathBuf,
}
