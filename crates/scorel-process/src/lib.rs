//! Programs that the daemon talks with through pipes, and services elsewhere. Knows no protocol but JSON-RPC, and no sessions.
//!
//! * **Secrets.** [`Secrets`] are cut out of all that a program writes, however it is cut into pieces:
//!   [`SecretRedactor`], [`RedactedReader`].
//! * **Bounds.** [`StderrTail`] and [`OutputTail`] keep the end of a text, [`whole_text`] cuts text at whole
//!   characters. [`StderrLog`] is a program's way into the daemon's log.
//! * **Begin and end.** [`find_program`] finds a program as its environment would; [`end_run`] ends one.
//! * **Service processes.** A [`ServiceProcess`] is started on first need, talks JSON-RPC over a
//!   [`ServiceLink`], and starts again after a failure. A [`Service`] says what it is. [`read_part`] reads what a list has.

mod failures;
mod find_program;
mod json_secrets;
mod log_pace;
mod output_pace;
mod output_tail;
mod paced_reader;
mod read_part;
mod redacted_reader;
mod secrets;
mod service;
mod service_error;
mod service_link;
mod service_process;
mod service_status;
mod service_words;
mod serving;
mod stderr_log;
mod stderr_tail;
mod stop;
mod whole_text;

pub use find_program::{ProgramMissing, find_program};
pub use output_tail::OutputTail;
pub use paced_reader::PacedReader;
pub use read_part::read_part;
pub use redacted_reader::RedactedReader;
pub use secrets::{SecretRedactor, Secrets};
pub use service::{Service, ServiceFraming, ServiceLimits, StartedProgram, StartedService};
pub use service_error::ServiceError;
pub use service_link::{CallLimit, ServiceLink};
pub use service_process::ServiceProcess;
pub use service_status::ServiceStatus;
pub use service_words::ServiceWords;
pub use stderr_log::StderrLog;
pub use stderr_tail::StderrTail;
pub use stop::{GOODBYE, end_run};
pub use whole_text::whole_text;
