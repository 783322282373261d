//! The prompt of a command.

use scorel_engine::{RunnerError, RunnerErrorKind, RunnerInput};

use crate::exchange::Exchange;

/// Writes the prompt and ends the input.
pub(super) fn write_prompt(input: &[RunnerInput], out: &mut Exchange) -> Result<(), RunnerError> {
    for part in input {
        match part {
            RunnerInput::Text(text) => out.send_text(text),
            RunnerInput::Image { .. } => {
                let message = "a plain command takes no images";
                return Err(RunnerError::new(RunnerErrorKind::Unsuitable, message));
            }
        }
    }
    out.end_input();
    Ok(())
}
