//! Pages of help that are not of one command.

use serde_json::json;

use crate::args::{DescribedCommand, commands as described};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, results};

pub(super) fn commands(output: &mut Output) -> Result<Exit, Failure> {
    let all = described();
    results(output, &all, |output| {
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
    Ok(Exit::Success)
}

pub(super) fn exit_codes(output: &mut Output) -> Result<Exit, Failure> {
    let all = Exit::ALL.iter();
    let all = all.map(|(exit, meaning)| json!({"code": exit.code(), "meaning": meaning.trim()}));
    results(output, &all.collect::<Vec<_>>(), |output| {
        output.raw(&Exit::help())
    })?;
    Ok(Exit::Success)
}
