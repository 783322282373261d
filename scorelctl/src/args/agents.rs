//! Arguments of `agents`.

use std::path::PathBuf;

use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser};
use clap::{Args, Subcommand};
use scorel_proto::{AgentWorkspace, QuotaPolicy, QuotaStrategy, ThinkingLevel, ToolPreset};
use serde_json::Number;

use super::protocol_name::{THINKING_LEVELS, WORKSPACES, protocol_name};

#[derive(Debug, Args)]
pub(crate) struct AgentsArgs {
    /// Project directory, for its quotas and runtimes [default: the working directory]
    #[arg(long, short, global = true, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) action: Option<AgentsCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AgentsCommand {
    /// Add an agent to your configuration, or change one; what is not named stays
    Set(Box<SetAgentArgs>),
    /// Tell or set how many runtimes of an agent may run at once in the project
    Quota(QuotaArgs),
}

/// The keys of an agent's table.
pub(crate) const AGENT_KEYS: [&str; 14] = [
    "displayName",
    "description",
    "capabilities",
    "runner",
    "model",
    "thinkingLevel",
    "tools",
    "prompt",
    "workspace",
    "defaultQuota",
    "enabled",
    "maxTurnTokens",
    "maxTurnSeconds",
    "maxSessionCost",
];

#[derive(Debug, Args)]
pub(crate) struct SetAgentArgs {
    /// The agent's name in the configuration: letters, digits, `-` and `_`
    #[arg(value_name = "TYPE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) agent_type: String,
    /// The name to show
    #[arg(long, value_name = "NAME")]
    pub(crate) display_name: Option<String>,
    /// What the agent is for, for the model that gives it tasks
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// What the agent can do, in a word or two; may be given several times, and replaces the whole list
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) capability: Vec<String>,
    /// What runs its turns, as listed by `scorelctl runners`; `scorel` is the daemon's own engine
    #[arg(long, short, value_name = "RUNNER", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) runner: Option<String>,
    /// Its model, as listed by `scorelctl models`
    #[arg(long, short)]
    pub(crate) model: Option<String>,
    /// How much its model reasons
    #[arg(long, value_name = "LEVEL", value_parser = protocol_name::<ThinkingLevel>(THINKING_LEVELS))]
    pub(crate) thinking_level: Option<ThinkingLevel>,
    /// Its tools
    #[arg(long, value_name = "PRESET",
        value_parser = protocol_name::<ToolPreset>(ToolPreset::ALL.map(ToolPreset::name)))]
    pub(crate) tools: Option<ToolPreset>,
    /// Its prompt, besides the task; `@FILE` reads a file
    #[arg(long, value_name = "TEXT|@FILE")]
    pub(crate) prompt: Option<String>,
    /// The files that it works on: shared (the project's) or worktree (a git worktree for each task)
    #[arg(long, value_name = "WHICH", value_parser = protocol_name::<AgentWorkspace>(WORKSPACES))]
    pub(crate) workspace: Option<AgentWorkspace>,
    /// How many of its runtimes may run at once where no quota of a project says otherwise
    #[arg(long, value_name = "N")]
    pub(crate) default_quota: Option<u32>,
    /// The most tokens that a turn of it may use
    #[arg(long, value_name = "N")]
    pub(crate) max_turn_tokens: Option<u64>,
    /// The longest time that a turn of it may take
    #[arg(long, value_name = "SECONDS")]
    pub(crate) max_turn_seconds: Option<u64>,
    /// The most that a session of it may cost
    #[arg(long, value_name = "DOLLARS", value_parser = dollars)]
    pub(crate) max_session_cost: Option<Number>,
    /// Take a key out of the configuration, so that its default counts; may be given several times
    #[arg(long, value_name = "KEY", value_parser = PossibleValuesParser::new(AGENT_KEYS))]
    pub(crate) unset: Vec<String>,
    /// Let it take tasks
    #[arg(long, conflicts_with = "disable")]
    pub(crate) enable: bool,
    /// Let it take no tasks; tasks it already has continue
    #[arg(long)]
    pub(crate) disable: bool,
}

/// A quota. The arguments are the whole policy: the daemon keeps nothing of the previous one.
#[derive(Debug, Args)]
pub(crate) struct QuotaArgs {
    /// The agent
    #[arg(value_name = "TYPE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) agent_type: String,
    /// How many may run at once in the project; 0 lets none begin [default: the agent's own quota]
    #[arg(value_name = "N")]
    pub(crate) number: Option<u32>,
    /// How many may run at once for a workflow; may be given several times
    #[arg(long, value_name = "ID=N", value_parser = workflow_quota)]
    pub(crate) workflow: Vec<(String, u32)>,
    /// One at a time, ignoring the numbers
    #[arg(long, conflicts_with = "concurrent")]
    pub(crate) serial: bool,
    /// As many at once as the numbers allow [default]
    #[arg(long)]
    pub(crate) concurrent: bool,
    /// Remove the project's policy, so that the agent's own quota counts again
    #[arg(long, conflicts_with_all = ["number", "workflow", "serial", "concurrent"])]
    pub(crate) clear: bool,
}

impl QuotaArgs {
    /// The policy to set; `None` if nothing is to be changed.
    pub(crate) fn policy(&self) -> Option<QuotaPolicy> {
        let says_nothing = self.number.is_none()
            && self.workflow.is_empty()
            && !self.serial
            && !self.concurrent
            && !self.clear;
        (!says_nothing).then(|| QuotaPolicy {
            project: self.number,
            workflow: self.workflow.iter().cloned().collect(),
            strategy: if self.serial {
                QuotaStrategy::Serial
            } else {
                QuotaStrategy::Concurrent
            },
        })
    }
}

fn dollars(text: &str) -> Result<Number, &'static str> {
    text.parse().map_err(|_| "the form is 2.5")
}

fn workflow_quota(text: &str) -> Result<(String, u32), String> {
    let parts = text.rsplit_once('=').filter(|(id, _)| !id.is_empty());
    let (id, number) = parts.ok_or("the form is ID=N, such as fix-issues=2")?;
    let number = number
        .parse()
        .map_err(|_| format!("`{number}` is not a number"))?;
    Ok((id.to_owned(), number))
}
