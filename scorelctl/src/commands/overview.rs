//! Pages of help that are not of one command.

use serde_json::json;

use crate::args::{DescribedCommand, commands as described};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

pub(super) fn commands(output: &mut Output) -> Result<(), Failure> {
    let all = described();
    output.results(&all, |output| {
        let mut last = "";
        for DescribedCommand { name, group, about } in &all {
            if *group != last {
                output.line(group)?;
                last = group;
            }
            output.line(&format!("  {name:<13}{about}"))?;
        }
        Ok(())
    })?;
    Ok(())
}

pub(super) fn exit_codes(output: &mut Output) -> Result<(), Failure> {
    let all = Exit::ALL.iter();
    let all = all.map(|(exit, meaning)| json!({"code": exit.code(), "meaning": meaning.trim()}));
    output.results(&all.collect::<Vec<_>>(), |output| output.raw(&Exit::help()))?;
    Ok(())
}
