//! Lists of resources, and their content.

use std::fmt::Write as _;
use std::sync::Arc;

use scorel_engine::{BlobSink, ToolOutcome, spawn_blocking};
use scorel_mcp_client::{Content, McpClient, PagedList, Resource, add_content};
use scorel_outside_tool::{ContentError, ResultContent, bad_reply};
use scorel_process::ServiceError;
use scorel_proto::excerpt;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Bytes of what is said of a resource in a list.
const MAX_ABOUT: usize = 300;

/// An entry of a list. A template has no `uri`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    uri: Option<String>,
    uri_template: Option<String>,
    #[serde(default)]
    name: String,
    #[serde(default)]
    description: String,
    mime_type: Option<String>,
    size: Option<u64>,
}

#[derive(Deserialize)]
struct ReadReply {
    contents: Vec<Resource>,
}

/// The resources of a server, and its templates.
pub(crate) async fn listed(
    client: &McpClient,
    blobs: Arc<dyn BlobSink>,
) -> Result<ToolOutcome, ServiceError> {
    let resources = client.list("resources/list", "resources").await?;
    let templates = client.list("resources/templates/list", "resourceTemplates");
    let templates = match templates.await {
        // A server need not have any.
        Err(ServiceError::Answered(_)) => PagedList::default(),
        answered => answered?,
    };
    let mut text = section("Resources", resources);
    text.push_str(&section(
        "Templates, whose variables stand in braces",
        templates,
    ));
    if text.is_empty() {
        text.push_str("The server lists no resources.");
    }
    Ok(kept(blobs, move |content| content.text(text)).await)
}

/// The content of a resource.
pub(crate) async fn read(
    client: &McpClient,
    uri: &str,
    blobs: Arc<dyn BlobSink>,
) -> Result<ToolOutcome, ServiceError> {
    let reply = client.ask("resources/read", json!({ "uri": uri })).await?;
    let contents = match serde_json::from_str::<ReadReply>(reply.get()) {
        Ok(reply) => reply.contents,
        Err(error) => {
            let reason = format!("its answer is not the content of a resource: {error}");
            return Ok(bad_reply(&reason));
        }
    };
    Ok(kept(blobs, move |content| {
        let mut parts = contents.into_iter().map(part);
        parts.try_for_each(|part| add_content(part, content))
    })
    .await)
}

/// A picture is shown as one.
fn part(resource: Resource) -> Content {
    match resource {
        Resource {
            blob: Some(data),
            mime_type: Some(mime_type),
            text: None,
            ..
        } if mime_type.starts_with("image/") => Content::Image { data, mime_type },
        resource => Content::Resource { resource },
    }
}

async fn kept(
    blobs: Arc<dyn BlobSink>,
    add: impl FnOnce(&mut ResultContent<'_>) -> Result<(), ContentError> + Send + 'static,
) -> ToolOutcome {
    let keep = move || {
        let mut content = ResultContent::new(&*blobs);
        match add(&mut content) {
            Ok(()) => content.outcome(false, Map::new()),
            Err(error) => bad_reply(&error.to_string()),
        }
    };
    let outcome = spawn_blocking(keep).await;
    outcome.unwrap_or_else(|_| bad_reply("its content could not be kept"))
}

/// The entries of a list, a line each; empty without any.
fn section(head: &str, list: PagedList) -> String {
    let lines: Vec<String> = list.entries.into_iter().filter_map(line).collect();
    if lines.is_empty() {
        return String::new();
    }
    let more = match list.is_cut {
        true => "(there are more)\n",
        false => "",
    };
    format!("{head}:\n{}\n{more}", lines.join("\n"))
}

fn line(entry: Value) -> Option<String> {
    let entry = Entry::deserialize(entry).ok()?;
    let mut line = format!("- {}", entry.uri.or(entry.uri_template)?);
    let size = entry.size.map(|it| format!("{it} bytes"));
    let about: Vec<String> = [Some(entry.name), entry.mime_type, size]
        .into_iter()
        .flatten()
        .filter(|it| !it.is_empty())
        .collect();
    if !about.is_empty() {
        write!(line, " ({})", about.join(", ")).ok()?;
    }
    let description: Vec<&str> = entry.description.split_whitespace().collect();
    if !description.is_empty() {
        let description = excerpt(&description.join(" "), MAX_ABOUT);
        write!(line, ": {description}").ok()?;
    }
    Some(line)
}
