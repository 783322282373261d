//! Renders `docs/protocol-reference.md`: every method, notification, event, type and error code.
//!
//! Everything comes from the [`Catalogue`], so the page cannot name what the code does not have. The
//! manual, `docs/protocol.md`, is written by hand; a test checks the names in it.

mod contents;
mod schema_text;
mod tests;

use serde_json::Value;

use self::contents::{contents, event_heading, group_title, notification_heading};
use self::schema_text::{cell, field_table, sections, type_text};
use crate::catalogue::{
    Catalogue, MethodSchemas, NotificationSchemas, description, fields, reference,
};
use crate::{AccessLevel, ErrorCode, MethodGroup, PersistentBody, TreePlacement};

const INTRODUCTION: &str = "<!-- Generated: SCOREL_REWRITE_DOCS=1 cargo test -p scorel-proto -->\n\n\
    # Protocol reference\n\n\
    Every method, notification, event, type and error code of the Scorel protocol, version 1. \
    [protocol.md](protocol.md) is the manual: framing, handshake, resync and everything else that \
    is not the shape of one message. `scorelctl call rpc.discover` prints this page as an OpenRPC \
    document with JSON Schemas.\n";

/// Types that have a section of their own outside "Types".
const ELSEWHERE: &[&str] = &[
    "Event",
    "PersistentEvent",
    "TransientEvent",
    "SyncMarker",
    "HostEvent",
    "ErrorCode",
];

/// The groups of methods, in the order of the page.
const GROUPS: [MethodGroup; 7] = [
    MethodGroup::Host,
    MethodGroup::Projects,
    MethodGroup::Sessions,
    MethodGroup::Agents,
    MethodGroup::Runs,
    MethodGroup::Conversation,
    MethodGroup::Reading,
];

/// The reference of the protocol in Markdown, as `docs/protocol-reference.md` holds it.
fn reference_markdown() -> String {
    let catalogue = Catalogue::new();
    let mut page = vec![
        INTRODUCTION.to_owned(),
        contents(&catalogue, type_names(&catalogue)),
    ];
    methods(&catalogue, &mut page);
    notifications(&catalogue, &mut page);
    events(&catalogue, &mut page);
    types(&catalogue, &mut page);
    errors(&mut page);
    let mut text = page.join("\n");
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn methods(catalogue: &Catalogue, page: &mut Vec<String>) {
    page.push("## Methods\n".to_owned());
    page.push(
        "*Access* is the permission that the caller needs: `read`, `control` or `admin`, each of \
         which includes the previous one. Parameters that are not required may be omitted or \
         `null`, unless their description says otherwise. Any method can also fail with \
         `invalid_params`, `forbidden`, `shutting_down`, `internal_error`, or, while too many files \
         are open, with `overloaded`.\n"
            .to_owned(),
    );
    for group in GROUPS {
        page.push(format!("### {}\n", group_title(group)));
        let of_group = catalogue
            .methods
            .iter()
            .filter(|method| method.info.group == group);
        for described in of_group {
            method(described, page);
        }
    }
}

fn method(method: &MethodSchemas, page: &mut Vec<String>) {
    let info = method.info;
    page.push(format!("#### `{}`\n", info.name));
    page.push(format!("{}\n", info.summary_line()));
    page.push(format!("Access: `{}`.\n", access(info.access)));
    if method.params.is_empty() {
        page.push("Parameters: none.\n".to_owned());
    } else {
        page.push(field_table("parameter", &method.params));
    }
    page.push(format!("Result: {}.\n", type_text(&method.result)));
    if !info.errors.is_empty() {
        let names: Vec<String> = info.errors.iter().map(|code| format!("`{code}`")).collect();
        page.push(format!("Errors: {}.\n", names.join(", ")));
    }
}

const fn access(access: AccessLevel) -> &'static str {
    match access {
        AccessLevel::Read => "read",
        AccessLevel::Control => "control",
        AccessLevel::Admin => "admin",
    }
}

fn notifications(catalogue: &Catalogue, page: &mut Vec<String>) {
    page.push("## Notifications\n".to_owned());
    page.push(
        "The `params` of a notification are `{subscription, result}`: the id that the subscribing \
         call returned, and one of the objects below.\n"
            .to_owned(),
    );
    for notification in &catalogue.notifications {
        notified(catalogue, notification, page);
    }
}

fn notified(catalogue: &Catalogue, notification: &NotificationSchemas, page: &mut Vec<String>) {
    let NotificationSchemas {
        name,
        subscribe,
        unsubscribe,
        results,
    } = notification;
    page.push(format!("### {}\n", notification_heading(name)));
    page.push(format!("Sent between `{subscribe}` and `{unsubscribe}`.\n"));
    for result in results {
        match reference(result) {
            Some("Event") => page.push("`result` is an [event](#events) or a marker:\n".to_owned()),
            Some(name) => {
                let schema = &catalogue.definitions[name];
                page.push(format!("{}\n", description(schema)));
                page.push(sections(schema, "####"));
            }
            None => {}
        }
    }
}

fn events(catalogue: &Catalogue, page: &mut Vec<String>) {
    let persistent = &catalogue.definitions["PersistentEvent"];
    let transient = &catalogue.definitions["TransientEvent"];
    page.push("## Events\n".to_owned());
    page.push("### Persistent events\n".to_owned());
    page.push(format!("{}\n", description(persistent)));
    page.push(field_table("field", &fields(persistent)));
    page.push("In addition, by type:\n".to_owned());
    for variant in variants(persistent) {
        event(catalogue, variant, page);
    }
    page.push("### Transient events\n".to_owned());
    page.push(format!("{}\n", description(transient)));
    page.push(field_table("field", &fields(transient)));
    page.push("In addition, by type:\n".to_owned());
    for variant in variants(transient) {
        event(catalogue, variant, page);
    }
}

fn variants(schema: &Value) -> impl Iterator<Item = &Value> {
    schema["oneOf"].as_array().into_iter().flatten()
}

fn event(catalogue: &Catalogue, variant: &Value, page: &mut Vec<String>) {
    let name = variant["properties"]["type"]["const"]
        .as_str()
        .unwrap_or_default();
    let place = PersistentBody::place_of(name).map_or("", place);
    page.push(format!("#### {}\n", event_heading(name)));
    page.push(format!("{}{place}\n", description(variant)));
    let body = reference(&variant["allOf"][0]).map(|body| fields(&catalogue.definitions[body]));
    match body {
        Some(fields) if !fields.is_empty() => page.push(field_table("field", &fields)),
        _ => page.push("No further fields.\n".to_owned()),
    }
}

const fn place(place: TreePlacement) -> &'static str {
    match place {
        TreePlacement::Leaf => " It becomes the leaf.",
        TreePlacement::Move => " It moves the leaf to its target.",
        TreePlacement::Aside => " It leaves the leaf where it is.",
        TreePlacement::Control => " It is not part of the tree.",
    }
}

fn types(catalogue: &Catalogue, page: &mut Vec<String>) {
    page.push("## Types\n".to_owned());
    for name in type_names(catalogue) {
        let schema = &catalogue.definitions[name];
        page.push(format!("### {name}\n"));
        page.push(format!("{}\n", description(schema)));
        page.push(sections(schema, "####"));
    }
}

/// The definitions listed under "Types": neither bodies of events, which are listed with their
/// event, nor those with a section elsewhere.
fn type_names(catalogue: &Catalogue) -> impl Iterator<Item = &str> {
    let bodies: Vec<&str> = ["PersistentEvent", "TransientEvent"]
        .iter()
        .flat_map(|name| variants(&catalogue.definitions[*name]))
        .filter_map(|variant| reference(&variant["allOf"][0]))
        .collect();
    let names = catalogue.definitions.keys().map(String::as_str);
    names.filter(move |name| {
        // These bodies also occur in `inFlight`.
        let is_shared = ["ModelRetry", "PermissionRequestBody", "RunnerLog"].contains(name);
        (is_shared || !bodies.contains(name)) && !ELSEWHERE.contains(name)
    })
}

fn errors(page: &mut Vec<String>) {
    page.push("## Error codes\n".to_owned());
    let mut table = vec![
        "| number | `data.code` | retryable | meaning |".to_owned(),
        "|---|---|---|---|".to_owned(),
    ];
    table.extend(ErrorCode::ALL.iter().map(|code| {
        let retryable = if code.retryable() { "yes" } else { "no" };
        format!(
            "| {} | `{code}` | {retryable} | {} |",
            code.number(),
            cell(code.meaning())
        )
    }));
    page.push(table.join("\n"));
    page.push(String::new());
}
