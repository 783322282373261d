use serde_json::Value;

/// The name of the manifest.
pub const MANIFEST: &str = "bmad.json";

/// A package by its own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    pub name: String,
    pub version: String,
    pub description: String,
}

/// A workflow as the manifest refers to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WorkflowReference {
    /// `None` for an entry that the list of workflows does not have.
    pub(crate) id: Option<String>,
    pub(crate) title: String,
    /// The template of the document.
    pub(crate) document: Reference,
    pub(crate) graph: Reference,
}

/// A path, and the pointer to the place that names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(crate) path: String,
    pub(crate) pointer: String,
}

impl Manifest {
    /// Of a value that has its form; what is missing is empty.
    pub(crate) fn of(manifest: &Value) -> Self {
        let text = |name: &str| manifest[name].as_str().unwrap_or_default().to_owned();
        Self {
            name: text("name"),
            version: text("version"),
            description: text("description"),
        }
    }
}

impl WorkflowReference {
    /// The workflows of a manifest, the entry first. Those that name no files are left out.
    pub(crate) fn all(manifest: &Value) -> Vec<Self> {
        let listed = manifest["workflows"].as_array().into_iter().flatten();
        let listed = listed
            .zip(0..)
            .filter_map(|(value, index)| Self::of(value, &format!("/workflows/{index}")));
        let mut all: Vec<Self> = listed.collect();
        if let Some(entry) = Self::of(&manifest["entry"], "/entry") {
            let is_entry = |it: &Self| {
                it.graph.path == entry.graph.path && it.document.path == entry.document.path
            };
            match all.iter().position(is_entry) {
                Some(index) => all[..=index].rotate_right(1),
                None => all.insert(0, entry),
            }
        }
        all
    }

    fn of(value: &Value, pointer: &str) -> Option<Self> {
        let id = value["id"].as_str();
        let title = value["displayName"].as_str().or(id).unwrap_or_default();
        Some(Self {
            id: id.map(str::to_owned),
            title: title.to_owned(),
            document: Reference::of(value, pointer, "workflow")?,
            graph: Reference::of(value, pointer, "graph")?,
        })
    }
}

impl Reference {
    /// The text of a field, if it has one.
    pub(crate) fn of(value: &Value, pointer: &str, field: &str) -> Option<Self> {
        Some(Self {
            path: value[field].as_str()?.to_owned(),
            pointer: format!("{pointer}/{field}"),
        })
    }
}
