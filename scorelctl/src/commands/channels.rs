//! Lists channels, and has a schedule send its message now.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use jiff::tz::TimeZone;
use scorel_proto::{
    Channel, CronChannel, CronFire, ErrorCode, FireChannel, FireChannelParams, ListChannels,
    ListChannelsParams, SendMessageResult,
};
use scorel_screen::escape::one_line;
use scorel_screen::waits::day_time;

use crate::cli::Cli;
use crate::daemon::new_command_id;
use crate::failure::Failure;
use crate::wire_name::wire_name;

#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct ChannelsArgs {
    #[command(subcommand)]
    pub(crate) action: ChannelsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ChannelsCommand {
    /// List the schedules of the configuration, with what has come of each, and the channels of extensions
    List {
        /// Project directory [default: the working directory]
        #[arg(long, short, value_name = "DIR")]
        project: Option<PathBuf>,
    },
    /// Have a schedule send its message now, as if it were due
    Fire {
        /// Its name
        #[arg(value_name = "SCHEDULE")]
        name: String,
    },
}

/// The width of a name, in columns.
const NAME_WIDTH: usize = 20;

pub(super) async fn run(args: &ChannelsArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    match &args.action {
        ChannelsCommand::List { project } => list(project.as_ref(), cli).await,
        ChannelsCommand::Fire { name } => fire(name, cli).await,
    }
}

async fn list(project: Option<&PathBuf>, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let params = ListChannelsParams {
        project_id: cli.project_or_none(project.map(PathBuf::as_path)).await?,
    };
    let answer = cli.call::<ListChannels>(&params).await?;
    let zone = TimeZone::system();
    let rows = answer.channels.iter().flat_map(|it| rows(it, &zone));
    let none = "no channels; docs/channels.md shows how to write a schedule";
    cli.list(&answer, rows, none)
}

async fn fire(name: &str, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let params = FireChannelParams {
        name: name.to_owned(),
        // Made once, so that a call that is repeated sends nothing again.
        fire_id: Some(new_command_id().to_string()),
    };
    let answer = cli.call::<FireChannel>(&params).await;
    let answer = answer.map_err(|error| {
        let busy = "its last turn still works; `overlap = \"queue\"` lets messages wait";
        Failure::from(error).hint_for(ErrorCode::AgentTaskBusy, busy)
    })?;
    let session = answer.session_id;
    cli.result(&answer, |output| {
        output.line(&match answer.message {
            SendMessageResult::Accepted { .. } => format!("sent to {session}"),
            SendMessageResult::Queued { .. } => format!("waits in {session}"),
        })
    })
}

/// A row for the channel, and under it what a person has to know.
fn rows(channel: &Channel, zone: &TimeZone) -> Vec<String> {
    let of = match (&channel.cron, &channel.extension) {
        (Some(cron), _) => timing(cron, zone),
        (None, Some(extension)) => format!("of the extension {}", one_line(extension)),
        (None, None) => String::new(),
    };
    let disabled = match channel.enabled {
        true => "",
        false => "  (`[channels] enabled` does not name its kind)",
    };
    let row = format!(
        "{:<NAME_WIDTH$}  {:<9}  {of}{disabled}",
        one_line(&channel.name),
        channel.kind.name(),
    );
    let last = channel.cron.as_ref().and_then(|cron| cron.last.as_ref());
    let last = last.map(|last| told(last, zone));
    std::iter::once(row).chain(last).collect()
}

fn timing(cron: &CronChannel, zone: &TimeZone) -> String {
    let next = match cron.next_due {
        Some(next) => format!("next {}", day_time(next, zone)),
        None => "not due".to_owned(),
    };
    format!(
        "{} ({})  {next}  {}  {}",
        one_line(&cron.schedule),
        one_line(&cron.timezone),
        cron.mode,
        one_line(&cron.project),
    )
}

fn told(last: &CronFire, zone: &TimeZone) -> String {
    let mut text = format!("  last {}: {}", day_time(last.at, zone), last.state);
    if let Some(problem) = &last.problem {
        text += &format!(", {}", one_line(problem));
    }
    if let Some(session) = last.session_id {
        text += &format!(", {session}");
    }
    if let Some(outcome) = last.outcome {
        text += &format!(", its last turn: {}", wire_name(outcome));
    }
    text
}
