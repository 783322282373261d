//! Runs of workflows. A run is a session whose state is one document: the log says what happened, the document and the
//! package alone say where to go on.
//!
//! In: commands about runs, and what sessions that belong to runs record. Out: the words with which their turns begin,
//! records of the document's states and of the run's phases, and the message by which a run goes on by itself.
//!
//! ```text
//! command ──→ Runs ──→ runs/<runId>/{run.json, last-good.md, state/workflow.md}
//!              │ ↑
//!   session ───┘ └── store/<digest>/, the package as it was when the run was bound
//! ```
//!
//! [`Runs`] is a [`SessionFeature`](scorel_session::SessionFeature). What it keeps in memory are parsed packages and which
//! sessions belong to runs; all else is read from files and from the fold when it is needed.

mod change;
mod check;
mod describe;
mod document_file;
mod engine_turn;
mod error;
mod feature;
mod installed;
mod invalid_state;
mod list;
mod open_run;
mod phases;
mod places;
mod resume;
mod run_budget;
mod run_dir;
mod run_file;
mod runs;
mod spending;
mod start;
mod states;
mod words;
mod workflow_name;

pub use error::RunError;
pub use runs::Runs;
pub use start::{RunIds, StartedRun};
