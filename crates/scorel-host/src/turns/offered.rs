use scorel_engine::ToolClass;
use scorel_proto::ToolPreset;

/// Tools from outside are in `coding`: who configures an MCP server wants its tools, and each call of one is
/// judged.
pub(super) fn is_offered(preset: ToolPreset, class: ToolClass) -> bool {
    match preset {
        ToolPreset::Coding => !matches!(class, ToolClass::Web | ToolClass::Agents),
        ToolPreset::Readonly => class == ToolClass::Inspect,
        ToolPreset::All => true,
        ToolPreset::Orchestrator => matches!(class, ToolClass::Inspect | ToolClass::Agents),
        ToolPreset::None => false,
    }
}
