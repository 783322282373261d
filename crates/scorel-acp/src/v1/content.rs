use std::path::Path;

use agent_client_protocol_schema::v1::{
    ContentBlock, EmbeddedResource, EmbeddedResourceResource, ResourceLink,
};

use scorel_proto::Block;

use crate::failure::Failure;
use crate::v1::link::path_in_project;

/// A part of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum PromptPart {
    Text(String),
    /// Not stored yet; `data` is base64.
    Image {
        media_type: String,
        data: String,
    },
    /// A file of the project, and the text that stands for it if the daemon does not attach it.
    File {
        path: String,
        instead: String,
    },
    /// An image that the daemon has.
    Stored(Block),
}

/// Reads a prompt.
pub(super) fn parts(
    prompt: Vec<ContentBlock>,
    work_dir: &Path,
) -> Result<Vec<PromptPart>, Failure> {
    if prompt.is_empty() {
        return Err(Failure::invalid("a prompt needs at least one block"));
    }
    let part = |block| part(block, work_dir);
    prompt.into_iter().map(part).collect()
}

fn part(block: ContentBlock, work_dir: &Path) -> Result<PromptPart, Failure> {
    Ok(match block {
        ContentBlock::Text(text) => PromptPart::Text(text.text),
        ContentBlock::Image(image) => PromptPart::Image {
            media_type: image.mime_type,
            data: image.data,
        },
        ContentBlock::ResourceLink(link) => linked(&link, work_dir),
        ContentBlock::Resource(resource) => embedded(resource)?,
        _ => {
            let message = "a prompt holds text, images, resources and links to resources only";
            return Err(Failure::invalid(message));
        }
    })
}

fn linked(link: &ResourceLink, work_dir: &Path) -> PromptPart {
    let instead = match link.title.as_deref().unwrap_or(&link.name) {
        "" => link.uri.clone(),
        name => format!("{name}: {}", link.uri),
    };
    match path_in_project(&link.uri, work_dir) {
        Some(path) => PromptPart::File { path, instead },
        None => PromptPart::Text(instead),
    }
}

fn embedded(resource: EmbeddedResource) -> Result<PromptPart, Failure> {
    match resource.resource {
        EmbeddedResourceResource::TextResourceContents(text) => {
            Ok(PromptPart::Text(format!("{}:\n{}", text.uri, text.text)))
        }
        EmbeddedResourceResource::BlobResourceContents(blob) => match blob.mime_type {
            Some(media_type) if media_type.starts_with("image/") => Ok(PromptPart::Image {
                media_type,
                data: blob.blob,
            }),
            _ => Ok(PromptPart::Text(format!(
                "{}: (its content is not text)",
                blob.uri
            ))),
        },
        _ => Err(Failure::invalid(
            "an embedded resource has a text or a blob",
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(block: serde_json::Value) -> Result<Vec<PromptPart>, Failure> {
        let block = serde_json::from_value(block).expect("a block");
        parts(vec![block], Path::new("/work/app"))
    }

    #[test]
    fn a_link_is_a_file_of_the_project_or_text() {
        let link = |uri| json!({ "type": "resource_link", "name": "a.rs", "uri": uri });
        let file = PromptPart::File {
            path: "a.rs".to_owned(),
            instead: "a.rs: file:///work/app/a.rs".to_owned(),
        };
        assert_eq!(read(link("file:///work/app/a.rs")), Ok(vec![file]));
        let text = PromptPart::Text("a.rs: file:///elsewhere/a.rs".to_owned());
        assert_eq!(read(link("file:///elsewhere/a.rs")), Ok(vec![text]));
    }

    #[test]
    fn a_sound_is_refused() {
        let sound = json!({ "type": "audio", "data": "", "mimeType": "audio/wav" });
        assert!(read(sound).is_err());
        assert!(parts(Vec::new(), Path::new("/")).is_err());
    }
}
