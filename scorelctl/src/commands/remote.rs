//! The machines whose daemons `--remote` reaches.

use clap::{Args, Subcommand};
use scorel_client::SshDaemon;
use scorel_proto::{GetStatus, NoParams};
use serde_json::json;

use crate::daemon::{DaemonConnector, LocalDaemon, no_daemon};
use crate::devices::{Device, Devices, device_name, ssh_host};
use crate::failure::Failure;
use crate::output::Output;

#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct RemoteArgs {
    #[command(subcommand)]
    pub(crate) command: RemoteCommand,
}

/// A look at the known machines, or a change.
#[derive(Debug, Subcommand)]
pub(crate) enum RemoteCommand {
    /// Try to reach a machine's daemon by ssh, and keep the machine under a name for `--remote`
    Add {
        /// `ssh:[USER@]HOST`, where HOST is as in `ssh HOST`
        #[arg(value_name = "ADDRESS", value_parser = address)]
        address: String,
        /// Its name [default: HOST]
        #[arg(long, value_name = "NAME", value_parser = device_name)]
        name: Option<String>,
    },
    /// List the machines
    List,
    /// Forget a machine; nothing changes there
    Remove {
        /// Its name
        #[arg(id = "device", value_name = "NAME")]
        name: String,
    },
}

pub(super) async fn run(
    args: &RemoteArgs,
    local: &LocalDaemon,
    output: &mut Output,
) -> Result<(), Failure> {
    let devices = Devices::of(local.home());
    match &args.command {
        RemoteCommand::Add { address, name } => {
            let device = device(address, name.as_deref())?;
            add(device, &devices, local, output).await
        }
        RemoteCommand::List => {
            let all = devices.all()?;
            output.results(&all, |output| {
                let width = all.iter().map(|it| it.name.len()).max().unwrap_or_default();
                let row = |it: &Device| format!("{:<width$}  {}", it.name, it.address);
                output.lines(all.iter().map(row))
            })?;
            if all.is_empty() {
                output.note("no machines; `scorelctl remote add ssh:HOST` adds one")?;
            }
            Ok(())
        }
        RemoteCommand::Remove { name } => {
            let removed = devices.remove(name)?;
            output.result(&removed, |output| {
                output.line(&format!("removed {} ({})", removed.name, removed.address))
            })
        }
    }
}

/// A command that has no meaning for another machine's daemon.
pub(super) fn refused(name: &str, verb: &str) -> Failure {
    let message = format!("`scorelctl {verb}` works on this machine only, without --remote");
    let failure = Failure::usage(message);
    match verb {
        "remote" | "completions" | "commands" | "exit-codes" | "man" => failure,
        _ => failure.hint(format!(
            "run it there: `ssh -t HOST scorelctl {verb}`; `scorelctl remote list` has the host of {name}"
        )),
    }
}

fn address(text: &str) -> Result<String, String> {
    ssh_host(text).map(|_| text.to_owned())
}

fn device(address: &str, name: Option<&str>) -> Result<Device, Failure> {
    let host = ssh_host(address).map_err(Failure::usage)?;
    let name = match name {
        Some(name) => name.to_owned(),
        None => device_name(host.host()).map_err(|why| {
            let message = format!("`{}` cannot be the name: {why}", host.host());
            Failure::usage(message).hint("`--name NAME` gives it one")
        })?,
    };
    Ok(Device {
        name,
        address: address.to_owned(),
    })
}

/// Keeps a machine that can be reached.
async fn add(
    device: Device,
    devices: &Devices<'_>,
    local: &LocalDaemon,
    output: &mut Output,
) -> Result<(), Failure> {
    devices.check_free(&device)?;
    local
        .home()
        .create()
        .map_err(scorel_client::ClientError::from)?;
    let ssh = SshDaemon::new(device.name.as_str(), device.ssh()?);
    let link = DaemonConnector::by_ssh(ssh, local, output.json);
    let connected = link.connect_known().await;
    let (connection, known) = connected.map_err(|error| no_daemon(link.start, error))?;
    let status = connection.call::<GetStatus>(&NoParams {}).await?;
    devices.add(device.clone())?;
    let Device { name, address } = &device;
    // Who may log in there as this user owns that user's daemon.
    let role = "owner";
    let added = json!({
        "name": name,
        "address": address,
        "deviceId": known.device_id,
        "displayName": status.display_name,
        "version": known.version,
        "role": role,
    });
    output.result(&added, |output| {
        let (device, id) = (&status.display_name, known.device_id);
        output.line(&format!("device    {device} ({id})"))?;
        output.line(&format!("version   scoreld {}", known.version))?;
        output.line(&format!("role      {role}"))?;
        output.line(&format!("added {name} ({address})"))
    })?;
    output.note(&format!(
        "`scorelctl --remote {name} sessions` lists the sessions there"
    ))?;
    Ok(())
}
