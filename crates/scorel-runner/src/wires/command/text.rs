//! `output = "text"`: the output is the answer.

use scorel_engine::{RunnerEnd, RunnerError, RunnerEvent, RunnerInput};
use scorel_exec::{RunEnd, ShellExit};

use super::prompt::write_prompt;
use crate::dialect::{Dialect, ended};
use crate::exchange::Exchange;
use crate::peer::Framing;

#[derive(Debug)]
pub(crate) struct TextDialect;

impl Dialect for TextDialect {
    fn framing(&self) -> Framing {
        Framing::Text
    }

    fn open(&mut self, _: &mut Exchange) -> Result<(), RunnerError> {
        Ok(())
    }

    fn is_open(&self) -> bool {
        true
    }

    fn context_id(&self) -> Option<&str> {
        None
    }

    fn receive(&mut self, piece: &[u8], out: &mut Exchange) -> Result<(), RunnerError> {
        let delta = String::from_utf8_lossy(piece).into_owned();
        out.event(RunnerEvent::Text { delta });
        Ok(())
    }

    fn prompt(&mut self, input: Vec<RunnerInput>, out: &mut Exchange) -> Result<(), RunnerError> {
        write_prompt(&input, out)
    }

    fn ended(&mut self, end: &RunEnd, errors: &str) -> Result<RunnerEnd, RunnerError> {
        match end.exit {
            Some(ShellExit::Code(0)) => Ok(RunnerEnd::Completed),
            _ => Err(ended(end, errors)),
        }
    }
}
