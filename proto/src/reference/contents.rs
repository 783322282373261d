//! The table of contents, and the headings that it links to.
//!
//! Some methods and events share a name (`compact`, `rewind`, `branch`), and an event shares one with
//! a type (`message`). Events and notifications therefore say what they are in their heading, so
//! that every anchor that something links to is unique on the page.

use super::GROUPS;
use crate::catalogue::Catalogue;
use crate::{MethodGroup, PersistentBody, TransientBody};

/// The table of contents, down to single methods, events and types.
pub(super) fn contents<'a>(catalogue: &Catalogue, types: impl Iterator<Item = &'a str>) -> String {
    let mut lines = vec![
        "## Contents\n".to_owned(),
        "- [Methods](#methods)".to_owned(),
    ];
    for group in GROUPS {
        let methods = catalogue.methods.iter().map(|method| method.info);
        let of_group = methods.filter(|info| info.group == group);
        let links = of_group.map(|info| link(info.name, &format!("`{}`", info.name)));
        lines.push(format!(
            "  - {}: {}",
            section(group_title(group)),
            joined(links)
        ));
    }
    let notifications = catalogue.notifications.iter();
    let links = notifications.map(|one| link(one.name, &notification_heading(one.name)));
    lines.push(format!("- {}: {}", section("Notifications"), joined(links)));
    lines.push("- [Events](#events)".to_owned());
    for (title, types) in [
        ("Persistent events", PersistentBody::TYPES),
        ("Transient events", TransientBody::TYPES),
    ] {
        let links = types.iter().map(|name| link(name, &event_heading(name)));
        lines.push(format!("  - {}: {}", section(title), joined(links)));
    }
    let links = types.map(|name| format!("[{name}](#{})", anchor(name)));
    lines.push(format!("- {}: {}", section("Types"), joined(links)));
    lines.push("- [Error codes](#error-codes)\n".to_owned());
    lines.join("\n")
}

fn section(title: &str) -> String {
    format!("[{title}](#{})", anchor(title))
}

/// A link with `name` as its text, to the section under `heading`.
fn link(name: &str, heading: &str) -> String {
    format!("[`{name}`](#{})", anchor(heading))
}

fn joined(links: impl Iterator<Item = String>) -> String {
    links.collect::<Vec<_>>().join(", ")
}

/// The anchor that GitHub's renderer, and the usual others, derive from a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter_map(|char| match char {
        ' ' => Some('-'),
        '-' | '_' => Some(char),
        _ => char.is_alphanumeric().then_some(char),
    });
    kept.flat_map(char::to_lowercase).collect()
}

pub(super) fn event_heading(name: &str) -> String {
    format!("`{name}` event")
}

pub(super) fn notification_heading(name: &str) -> String {
    format!("`{name}` notification")
}

pub(super) const fn group_title(group: MethodGroup) -> &'static str {
    match group {
        MethodGroup::Host => "The daemon",
        MethodGroup::Projects => "Projects",
        MethodGroup::Sessions => "Sessions",
        MethodGroup::Agents => "Agents",
        MethodGroup::Runs => "Runs of workflows",
        MethodGroup::Conversation => "Conversation",
        MethodGroup::Reading => "Reading",
    }
}
