use serde::Deserialize;

/// A part of a result, or of a message.
#[derive(Debug, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum Content {
    Text {
        text: String,
    },
    Image {
        data: String,
        mime_type: String,
    },
    Audio {
        data: String,
        mime_type: String,
    },
    ResourceLink {
        uri: String,
    },
    Resource {
        resource: Resource,
    },
    #[serde(other)]
    Unknown,
}

/// A resource with its content.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resource {
    pub uri: String,
    pub mime_type: Option<String>,
    pub text: Option<String>,
    /// In base64.
    pub blob: Option<String>,
}
