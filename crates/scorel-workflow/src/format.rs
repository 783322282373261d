//! The five forms of the format: the manifest, graphs, agents, and the heads of documents and steps.
//!
//! Settings of ours stand where they leave room: in the head of a step.

use crate::shape::Shape::{
    Count, Digest, Flag, FormatVersion, Id, List, NonEmptyList, Object, OneOf, OpenRecord, Record,
    SemanticVersion, Text, Words, WordsOrList,
};
use crate::shape::{Shape, optional, required};

const NODE_KINDS: Shape = OneOf(&["step", "decision", "merge", "end", "subworkflow"]);
const TEXTS: Shape = List(&Text);

pub(crate) const MANIFEST: Shape = Record(&[
    required("schemaVersion", &FormatVersion),
    required("name", &Words),
    required("version", &SemanticVersion),
    optional("description", &Text),
    optional("author", &Text),
    optional("createdAt", &Text),
    required(
        "entry",
        &Record(&[
            required("workflow", &Text),
            required("graph", &Text),
            required("agents", &Text),
            optional("assetsDir", &Text),
        ]),
    ),
    optional(
        "workflows",
        &List(&Record(&[
            required("id", &Id),
            optional("displayName", &Text),
            optional("description", &Text),
            required("workflow", &Text),
            required("graph", &Text),
            optional("tags", &TEXTS),
        ])),
    ),
    optional(
        "runtime",
        &Record(&[
            optional("minRuntimeVersion", &Text),
            optional("requiresNetwork", &Flag),
        ]),
    ),
    optional("integrity", &Record(&[optional("sha256", &Digest)])),
]);

pub(crate) const GRAPH: Shape = Record(&[
    required("schemaVersion", &FormatVersion),
    required("entryNodeId", &Id),
    required(
        "nodes",
        &NonEmptyList(&Record(&[
            required("id", &Id),
            required("type", &NODE_KINDS),
            required("file", &Words),
            optional("title", &Text),
            optional("description", &Text),
            optional("agentId", &Text),
            optional("inputs", &TEXTS),
            optional("outputs", &TEXTS),
        ])),
    ),
    required(
        "edges",
        &List(&Record(&[
            optional("id", &Text),
            required("from", &Id),
            required("to", &Id),
            required("label", &Words),
            optional("isDefault", &Flag),
            optional("conditionText", &Text),
            optional("conditionExpr", &Object),
        ])),
    ),
    optional("metadata", &Object),
]);

pub(crate) const AGENTS: Shape = Record(&[
    required("schemaVersion", &FormatVersion),
    required("agents", &NonEmptyList(&AGENT)),
]);

const AGENT: Shape = Record(&[
    required("id", &Id),
    required("metadata", &AGENT_METADATA),
    required("persona", &PERSONA),
    optional("critical_actions", &List(&Words)),
    optional(
        "prompts",
        &List(&Record(&[
            required("id", &Words),
            required("content", &Words),
            optional("description", &Text),
        ])),
    ),
    optional("menu", &List(&MENU_ITEM)),
    optional("systemPrompt", &Text),
    optional("userPromptTemplate", &Text),
    optional("discussion", &Flag),
    optional("webskip", &Flag),
    optional("conversational_knowledge", &List(&Object)),
    optional("tools", &TOOL_POLICY),
]);

const AGENT_METADATA: Shape = Record(&[
    required("name", &Words),
    required("title", &Words),
    required("icon", &Words),
    optional("module", &Text),
    optional("description", &Text),
    optional("sourceId", &Text),
]);

const PERSONA: Shape = Record(&[
    required("role", &Words),
    required("identity", &Words),
    required("communication_style", &Words),
    required("principles", &WordsOrList),
]);

const MENU_ITEM: Shape = OpenRecord(&[
    optional("trigger", &Text),
    optional("triggers", &List(&Object)),
    required("description", &Words),
    optional("workflow", &Text),
    optional("exec", &Text),
    optional("action", &Text),
    optional("data", &Text),
    optional("validate-workflow", &Text),
    optional("ide-only", &Flag),
    optional("web-only", &Flag),
]);

const TOOL_POLICY: Shape = Record(&[
    optional(
        "fs",
        &Record(&[
            optional("enabled", &Flag),
            optional("maxReadBytes", &Count),
            optional("maxWriteBytes", &Count),
        ]),
    ),
    optional(
        "mcp",
        &Record(&[
            optional("enabled", &Flag),
            optional("allowedServers", &TEXTS),
        ]),
    ),
]);

pub(crate) const DOCUMENT: Shape = OpenRecord(&[
    required("schemaVersion", &FormatVersion),
    required("workflowType", &Words),
    optional("runId", &Text),
    optional("project_name", &Text),
    optional("user_name", &Text),
    optional("date", &Text),
    optional("updatedAt", &Text),
    required("currentNodeId", &Text),
    required("stepsCompleted", &TEXTS),
    optional("variables", &Object),
    optional(
        "decisionLog",
        &List(&Record(&[
            required("from", &Text),
            required("to", &Text),
            required("label", &Text),
            optional("reason", &Text),
            optional("decidedAt", &Text),
        ])),
    ),
    optional("artifacts", &TEXTS),
    optional("projectId", &Text),
    optional(
        "workflow",
        &Record(&[
            required("id", &Text),
            required("version", &Text),
            required("digest", &Text),
        ]),
    ),
    optional("activeAgentId", &Text),
    optional("autopilot", &Flag),
]);

/// With the settings that only Scorel knows: `input`, `requiredOutputs`, `tools`, `maxVisits`.
pub(crate) const STEP: Shape = OpenRecord(&[
    required("schemaVersion", &FormatVersion),
    required("nodeId", &Id),
    required("type", &NODE_KINDS),
    optional("title", &Text),
    optional("agentId", &Text),
    optional("inputs", &TEXTS),
    optional("outputs", &TEXTS),
    optional("setsVariables", &TEXTS),
    optional(
        "transitions",
        &List(&Record(&[
            required("to", &Text),
            required("label", &Text),
            optional("isDefault", &Flag),
            optional("conditionText", &Text),
        ])),
    ),
    optional("input", &OneOf(&["user"])),
    optional("requiredOutputs", &List(&Words)),
    optional(
        "tools",
        &Record(&[
            optional("allow", &List(&Words)),
            optional("deny", &List(&Words)),
        ]),
    ),
    optional("maxVisits", &Count),
]);
