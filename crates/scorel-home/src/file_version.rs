use serde::Deserialize;

#[derive(Deserialize)]
struct VersionField {
    version: u32,
}

/// The `version` of a JSON file. Read on its own, since a later version may have any other form.
pub(crate) fn file_version(bytes: &[u8]) -> serde_json::Result<u32> {
    serde_json::from_slice(bytes).map(|VersionField { version }| version)
}
