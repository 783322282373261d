//! Lists of tools in messages to the model, within bounds.

use std::collections::BTreeMap;

use crate::set_tool::SetTool;

/// Bytes of the list of tools that requests do not describe.
const MAX_LIST: usize = 2560;

/// Bytes of the list of new tools.
const MAX_ADDED: usize = 1024;

/// Characters of a description, until the list fits.
const SHORTER: [usize; 3] = [120, 60, 0];

/// Names of each source, until the list fits.
const FEWER: [usize; 4] = [20, 8, 3, 0];

const HEAD: &str = "There are more tools, which are not described here. Find those for a task with ToolSearch: it answers with \
    descriptions and the schemas of arguments. Call one with ToolCall.";

/// The list of tools that are searched for.
pub(crate) fn searched(tools: &[&SetTool]) -> String {
    for chars in SHORTER {
        let lines: Vec<String> = tools.iter().map(|tool| line(tool, chars)).collect();
        let text = format!("{HEAD}\n\n{}", lines.join("\n"));
        if text.len() <= MAX_LIST {
            return text;
        }
    }
    let mut sources: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for tool in tools {
        let names = sources.entry(&tool.source).or_default();
        names.push(tool.told.name());
    }
    for names in FEWER {
        let lines: Vec<String> = sources.iter().map(|it| source_line(it, names)).collect();
        let text = format!("{HEAD}\n\n{}", lines.join("\n"));
        if text.len() <= MAX_LIST {
            return text;
        }
    }
    format!(
        "{HEAD}\n\n{} tools of {} programs",
        tools.len(),
        sources.len()
    )
}

/// The names of new tools.
pub(crate) fn added(names: &[String]) -> String {
    let (mut list, mut left) = (String::new(), names.len());
    for name in names {
        if list.len() + name.len() > MAX_ADDED {
            break;
        }
        if !list.is_empty() {
            list.push_str(", ");
        }
        list.push_str(name);
        left -= 1;
    }
    if left > 0 {
        list.push_str(&format!(", and {left} more"));
    }
    format!("New tools: {list}. You can call them once your tools are renewed, not before.")
}

fn line(tool: &SetTool, chars: usize) -> String {
    let name = tool.told.name();
    let description = tool.line();
    if chars == 0 || description.is_empty() {
        return format!("- {name}");
    }
    match description.char_indices().nth(chars) {
        None => format!("- {name}: {description}"),
        Some((end, _)) => format!("- {name}: {}…", description[..end].trim_end()),
    }
}

fn source_line((source, tools): (&&str, &Vec<&str>), names: usize) -> String {
    let shown = &tools[..names.min(tools.len())];
    let count = tools.len();
    match shown {
        [] => format!("- {source}: {count} tools"),
        _ if shown.len() == count => format!("- {source}: {}", shown.join(", ")),
        _ => format!("- {source}: {count} tools, such as {}", shown.join(", ")),
    }
}
