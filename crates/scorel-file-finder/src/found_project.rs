use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use scorel_engine::ReadFilter;
use scorel_proto::ProjectId;

/// Finds out which files may be listed; all, if it returns nothing. Looks at the disk.
pub type Admission = Box<dyn FnOnce() -> Option<Arc<dyn ReadFilter>> + Send>;

/// A project that is asked about.
pub struct FoundProject {
    pub id: ProjectId,
    pub directory: PathBuf,
    pub admission: Admission,
}

impl fmt::Debug for FoundProject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FoundProject")
            .field("id", &self.id)
            .field("directory", &self.directory)
            .finish_non_exhaustive()
    }
}
