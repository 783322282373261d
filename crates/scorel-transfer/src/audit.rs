//! The model calls of a workflow's run, for an auditor: each with its request.
//!
//! In: the records of the run's sessions in the order of their logs, and the blobs with the tools of their requests.
//! Out: an [`AuditLine`] for each call. A request is not in the log. It is built again from the records before the
//! answer, by the same fold as the daemon's, and its hash is compared with the recorded one.

mod chat_message;
mod difference;
mod line;
mod rebuilt_request;
mod redaction;
mod session_audit;
mod session_past;
mod tool_blob;
mod tool_run;

pub use difference::Difference;
pub use line::{AuditLine, AuditProof, AuditRequest, AuditResponse, AuditUi};
pub use redaction::Redaction;
pub use session_audit::SessionAudit;
pub use tool_blob::ToolBlobs;
pub use tool_run::AuditToolRun;
