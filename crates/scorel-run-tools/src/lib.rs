//! The tools of workflow runs.
//!
//! [`RunTools`] are those of one turn of a session that is bound to a run ([`BoundRun`]): `fs_read`, `fs_search`,
//! `fs_list`, `fs_write` and `fs_apply_patch` on the mounts `@project`, `@pkg` and `@state`, whose results are JSON
//! texts. They work on the files of the session, with the permissions and hashes of its other tools. What the run's
//! document becomes is judged by the guard of `scorel-workflow`; [`RunPolicy`] says which tools the current node
//! allows.

mod answer;
mod bound_run;
mod document;
mod limits;
mod node_policy;
mod run_files;
mod run_guard;
mod run_policy;
mod run_tools;
mod tool_limits;
mod tools;

pub use bound_run::{BoundRun, RunPlaces};
pub use run_policy::RunPolicy;
pub use run_tools::{RunTools, run_tools, tool_specs};
pub use tool_limits::ToolLimits;
