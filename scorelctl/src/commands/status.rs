use std::io;
use std::time::SystemTime;

use scorel_proto::{GetStatus, NoParams, Status};

use super::sessions::{age, phase};
use super::stall::stall_text;
use crate::daemon::DaemonClient;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, result};

pub(super) async fn run(control: &mut DaemonClient, output: &mut Output) -> Result<Exit, Failure> {
    let status = control.call::<GetStatus>(&NoParams {}).await?;
    result(output, &status, |output| describe(&status, output))?;
    Ok(Exit::Success)
}

fn describe(status: &Status, output: &mut Output) -> io::Result<()> {
    let state = if status.draining {
        "stopping"
    } else {
        "running"
    };
    let up = age(status.started_at, SystemTime::now());
    output.line(&format!("scoreld {} is {state}", status.version))?;
    output.line(&format!("process   {}, up {up}", status.pid))?;
    output.line(&format!("home      {}", status.home))?;
    output.line(&format!(
        "device    {} ({})",
        status.display_name, status.device_id
    ))?;
    output.line(&format!("model     {}", status.default_model))?;
    let (connections, sessions) = (status.connections, status.loaded_sessions);
    output.line(&format!(
        "open      {connections} connections, {sessions} sessions loaded"
    ))?;
    for session in &status.active {
        output.line(&format!(
            "active    {} {}",
            session.session_id,
            phase(session.phase)
        ))?;
        if let (Some(problem), Some(stall)) = (&session.problem, &session.storage_stalled) {
            output.line(&format!("stalled   {}", stall_text(problem, stall)))?;
        }
    }
    match &status.config_problem {
        Some(problem) => output.line(&format!("problem   {problem}")),
        None => Ok(()),
    }
}
