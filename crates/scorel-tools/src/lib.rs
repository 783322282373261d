//! The tools a model can call, on named roots.
//!
//! [`ProjectTools`] lists the tools of one session on its project, each an implementation of the
//! engine's `Tool` port: a plan parses the call once and declares its effects, the gate judges those,
//! and the run carries them out within the permit that it was given. A tool gets its files from
//! [`SessionFiles`] and from nowhere else, so a path that the model names cannot lead outside the
//! directories that the session was given, whatever links are put in its way while it is resolved.
//!
//! A file is changed only where the model has seen what it changes, as it is at that moment, and never
//! halfway: the new content gets the file's name once all of it is on disk. Protected files, which
//! other programs run or obey, need a permit that says so.
//!
//! A call ends in two forms. The text is for the model: readable, bounded, and explicit about
//! everything that was left out. The `details` are for user interfaces: one object, `ok: true` with
//! figures or `ok: false` with an error's code, message and details.

mod agent_files;
mod changed_file;
mod char_boundary;
mod checked_text;
mod compaction_facts;
mod details;
mod diff;
mod directory_list;
mod encoded;
mod error;
mod file_plan;
mod host;
mod lazy;
mod limits;
mod locked;
mod mounted_files;
mod obeyed;
mod off_limits;
mod open_projects;
mod pace;
mod picture;
mod real_target;
mod replaced_file;
mod result_page;
mod root;
mod roots;
mod run_mounts;
mod running_call;
mod seen_files;
mod session_files;
mod shown_files;
mod shown_path;
mod skill_roots;
mod tools;
mod walk;
mod whole_file;

#[cfg(test)]
mod tests;

pub use compaction_facts::compaction_facts;
pub use error::{ErrorCode, ToolError};
pub use file_plan::FilePlan;
pub use host::ToolHost;
pub use lazy::Lazy;
pub use open_projects::OpenProjects;
pub use picture::{Picture, PictureProblem};
pub use replaced_file::ReplacedFile;
pub use root::{OpenRootError, Root, RootName};
pub use roots::{EntryKind, Location, Roots};
pub use run_mounts::{DocumentGuard, RunMounts};
pub use running_call::RunningCall;
pub use session_files::{PlannedWrite, SessionFiles};
pub use skill_roots::SkillRoots;
pub use tools::ProjectTools;
pub use tools::bash::{
    CommandSettings, Commands, PackageCaches, PlannedCommand, RepositoryAccess, Terminal,
};
pub use tools::grep::{FoundLine, FoundLines, LineQuery};
pub use tools::read::{AttachedContent, AttachedFile};
pub use whole_file::WholeFile;
