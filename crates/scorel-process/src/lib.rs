//! Programs that the daemon talks with through pipes. Knows no protocol but JSON-RPC, and no sessions.
//!
//! * **Secrets.** [`Secrets`] are cut out of all that a program writes, however it is cut into pieces:
//!   [`SecretRedactor`].
//! * **Bounds.** [`StderrTail`] and [`OutputTail`] keep the end of a text, [`whole_text`] cuts text at whole
//!   characters.
//! * **Begin and end.** [`find_program`] finds a program as its environment would; [`end_run`] ends one.

mod find_program;
mod output_tail;
mod secrets;
mod stderr_tail;
mod stop;
mod whole_text;

pub use find_program::{ProgramMissing, find_program};
pub use output_tail::OutputTail;
pub use secrets::{SecretRedactor, Secrets};
pub use stderr_tail::StderrTail;
pub use stop::{GOODBYE, end_run};
pub use whole_text::whole_text;
