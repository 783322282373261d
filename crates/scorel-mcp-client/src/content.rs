use serde::Deserialize;

/// A part of a result.
#[derive(Debug, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub(crate) enum Content {
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
pub(crate) struct Resource {
    pub(crate) uri: String,
    pub(crate) mime_type: Option<String>,
    pub(crate) text: Option<String>,
    /// In base64.
    pub(crate) blob: Option<String>,
}
