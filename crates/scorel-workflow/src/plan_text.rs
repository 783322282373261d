use crate::plan::{Plan, PlannedNode};
use crate::step::DEFAULT_MAX_VISITS;

impl Plan {
    /// The plan for people, a line each.
    pub fn lines(&self) -> Vec<String> {
        lines(self)
    }
}

fn lines(plan: &Plan) -> Vec<String> {
    let name = plan
        .workflow
        .as_deref()
        .map_or_else(String::new, |it| format!("/{it}"));
    let title = match plan.title.is_empty() {
        true => String::new(),
        false => format!(": {}", plan.title),
    };
    let mut lines = vec![format!("{}{name} {}{title}", plan.name, plan.version)];
    lines.push(format!("begins with {}", plan.entry));
    let width = plan
        .nodes
        .iter()
        .map(|node| node.id.len())
        .max()
        .unwrap_or_default();
    for node in &plan.nodes {
        let PlannedNode {
            id,
            kind,
            agent,
            title,
            ..
        } = node;
        let row = format!("  {id:<width$}  {kind:<8}  {agent}  {title}");
        lines.push(row.trim_end().to_owned());
        lines.extend(details(node).map(|it| format!("      {it}")));
    }
    for agent in &plan.agents {
        lines.push(format!(
            "agent {} ({}): {}",
            agent.id, agent.name, agent.tools
        ));
    }
    lines.push(match plan.stops.as_slice() {
        [] => "no node waits for a person".to_owned(),
        stops => format!("waits for a person at {}", stops.join(", ")),
    });
    lines.push(format!("plan {}", plan.digest()));
    lines
}

fn details(node: &PlannedNode) -> impl Iterator<Item = String> {
    let ways = node.next.iter().map(|way| {
        let condition = way
            .condition
            .as_deref()
            .map_or_else(String::new, |it| format!(": {it}"));
        format!("-> {} ({}{condition})", way.to, way.label)
    });
    let list = |what: &str, items: &[String]| match items {
        [] => None,
        items => Some(format!("{what} {}", items.join(", "))),
    };
    let allowed = node.tools.allow.as_deref().map(|it| match it {
        [] => "no tools".to_owned(),
        tools => format!("tools {}", tools.join(", ")),
    });
    let visits = (node.max_visits != DEFAULT_MAX_VISITS)
        .then(|| format!("at most {} visits", node.max_visits));
    let rest = [
        node.waits_for_person
            .then(|| "waits for a person".to_owned()),
        list("must write", &node.required_outputs),
        allowed,
        list("never", &node.tools.deny),
        visits,
    ];
    ways.chain(rest.into_iter().flatten())
        .collect::<Vec<_>>()
        .into_iter()
}
