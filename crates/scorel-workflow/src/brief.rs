use crate::current_run::CurrentRun;
use crate::edge::Edge;
use crate::inline::{BRIEF, inline, json};
use crate::output_path::output_path;

/// Items of a list in a brief. The rest is counted.
pub const MAX_LISTED: usize = 100;

/// Bytes of a condition in JSON.
const MAX_CONDITION: usize = 2_000;

/// The part `NODE_BRIEF`: what is to be done at the current node, and where it may lead. `tools` are those that the node
/// may use. `None` if the document names a node that there is not.
pub fn brief(run: &CurrentRun<'_>, tools: &[String]) -> Option<String> {
    let (node, step) = run.node()?;
    let (id, file) = (inline(&node.id), inline(&format!("@pkg/{}", node.file)));
    let path = |output: &String| inline(&output_path(output));
    let outputs = node.outputs.iter();
    let outputs = outputs.map(|it| format!("{} -> {}", inline(it), path(it)));
    let ways = run.workflow.graph.outgoing(&node.id).map(way);
    let mut text = format!("{BRIEF}\n- currentNodeId: {id}\n- stepFile: {file}\n");
    add_list(&mut text, "outputsMap", outputs);
    add_list(
        &mut text,
        "requiredOutputs",
        step.required_outputs.iter().map(path),
    );
    add_list(&mut text, "allowedNext", ways);
    add_list(&mut text, "allowedTools", tools.iter().map(|it| inline(it)));
    let visits = run.visits(&node.id);
    text.push_str(&format!("- visits: {visits} of {}\n", step.max_visits));
    if step.waits_for_person() {
        text.push_str("- input: user\n");
    }
    Some(text)
}

/// A list of which there are at most [`MAX_LISTED`] items to read.
fn add_list(text: &mut String, name: &str, items: impl Iterator<Item = String>) {
    let mut items = items.peekable();
    let none = if items.peek().is_none() { " []" } else { "" };
    text.push_str(&format!("- {name}:{none}\n"));
    for item in items.by_ref().take(MAX_LISTED) {
        text.push_str(&format!("  - {item}\n"));
    }
    let more = items.count();
    if more > 0 {
        text.push_str(&format!("  ({more} more)\n"));
    }
}

fn way(edge: &Edge) -> String {
    let mut text = format!("{} (label={}", inline(&edge.to), inline(&edge.label));
    if edge.is_default {
        text.push_str(", isDefault=true");
    }
    if let Some(condition) = &edge.condition_text {
        text.push_str(&format!(", conditionText={}", inline(condition)));
    }
    if let Some(condition) = &edge.condition_expr {
        // A part of it would be another condition.
        let written = Some(json(condition)).filter(|it| it.len() <= MAX_CONDITION);
        let written = written.as_deref().unwrap_or("(see the graph)");
        text.push_str(&format!(", conditionExpr={written}"));
    }
    text + ")"
}
