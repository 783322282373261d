use scorel_engine::{ToolClass, ToolSpec};
use scorel_workflow::{AgentPolicy, ServerPolicy, StepTools, may_use};

use crate::limits::MAX_WRITTEN_BYTES;
use crate::tool_limits::ToolLimits;

/// The calls that a node allows: as far as the configuration, the node's agent and its step allow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodePolicy<'a> {
    pub(crate) limits: &'a ToolLimits,
    /// Absent where no agent works.
    pub(crate) agent: Option<&'a AgentPolicy>,
    /// Absent where no node is worked at.
    pub(crate) step: Option<&'a StepTools>,
}

impl<'a> NodePolicy<'a> {
    /// The servers whose tools may be used.
    pub(crate) fn servers(&self) -> &'a [String] {
        let policy = self.agent.map(|it| &it.mcp);
        let usable = policy.filter(|it| it.enabled && self.limits.servers);
        usable.map_or(&[], |it| &it.allowed_servers)
    }

    pub(crate) fn allows(&self, tool: &ToolSpec) -> bool {
        let Self { limits, step, .. } = *self;
        let name = &tool.name;
        let of_user = Some(limits.allow.as_slice()).filter(|it| !it.is_empty());
        may_use(of_user, &limits.deny, name)
            && self.agent_allows(tool)
            && step.is_none_or(|step| step.allows(name))
    }

    pub(crate) fn max_read_bytes(&self) -> u64 {
        let of_agent = self.agent.and_then(|it| it.fs.max_read_bytes);
        least(self.limits.max_read_bytes, of_agent)
    }

    pub(crate) fn max_write_bytes(&self) -> u64 {
        let of_agent = self.agent.and_then(|it| it.fs.max_write_bytes);
        least(self.limits.max_write_bytes, of_agent).min(MAX_WRITTEN_BYTES)
    }

    /// An agent without files has no tools on them, and one that names a server may use its tools.
    fn agent_allows(&self, tool: &ToolSpec) -> bool {
        let server = tool.name.strip_prefix("mcp__");
        match (tool.class, server) {
            (ToolClass::Inspect | ToolClass::Edit | ToolClass::Command, _) => {
                self.agent.is_none_or(|it| it.fs.enabled)
            }
            (ToolClass::Outside, Some(tool)) => {
                self.limits.servers && self.agent.is_none_or(|it| is_of_server(&it.mcp, tool))
            }
            (ToolClass::Outside | ToolClass::Web | ToolClass::Agents, _) => true,
        }
    }
}

/// Returns whether a tool, by its name after `mcp__`, is of one of the servers.
fn is_of_server(policy: &ServerPolicy, tool: &str) -> bool {
    let is_it = |server: &String| {
        let rest = tool.strip_prefix(server.as_str());
        rest.is_some_and(|rest| rest.starts_with("__"))
    };
    policy.enabled && policy.allowed_servers.iter().any(is_it)
}

fn least(limit: u64, other: Option<u64>) -> u64 {
    other.map_or(limit, |other| limit.min(other))
}
