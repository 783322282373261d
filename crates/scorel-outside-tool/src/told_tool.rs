use std::collections::BTreeMap;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::listed_tool::ListedTool;
use crate::tool_name::{other_names, tool_name};

/// A tool as a model is told of it: under the name by which that calls it.
#[derive(Debug, Clone)]
pub struct ToldTool {
    name: String,
    /// Names by which a person may know it.
    also: Vec<String>,
    listed: Arc<ListedTool>,
    digest: String,
}

impl ToldTool {
    /// A tool of a source, under a name that no other has.
    pub fn new(source: &str, listed: Arc<ListedTool>, is_taken: impl Fn(&str) -> bool) -> Self {
        let name = match source.split_once(':') {
            Some((kind, of)) => tool_name(kind, of, &listed.name, is_taken),
            None => listed.name.clone(),
        };
        Self::named(name, source, listed)
    }

    /// The tools of one source, sorted by their names.
    pub fn all(source: &str, listed: Vec<Arc<ListedTool>>) -> Vec<Self> {
        let mut all: BTreeMap<String, Self> = BTreeMap::new();
        for tool in listed {
            let told = Self::new(source, tool, |name| all.contains_key(name));
            all.insert(told.name.clone(), told);
        }
        all.into_values().collect()
    }

    /// A tool under a name that it has already.
    pub fn named(name: String, source: &str, listed: Arc<ListedTool>) -> Self {
        let also = match source.split_once(':') {
            Some((kind, of)) => other_names(kind, of, &listed.name, &name),
            None => Vec::new(),
        };
        let (description, parameters) = (&listed.description, listed.schema.json());
        let told = format!("{name}\n{description}\n{parameters}");
        let digest = format!("{:x}", Sha256::digest(told.as_bytes()));
        Self {
            name,
            also,
            listed,
            digest,
        }
    }

    /// The name by which the model calls it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its other names, for rules that forbid.
    pub fn also(&self) -> &[String] {
        &self.also
    }

    pub const fn listed(&self) -> &Arc<ListedTool> {
        &self.listed
    }

    /// The SHA-256 of all that the model is told of it, in hexadecimal.
    pub fn digest(&self) -> &str {
        &self.digest
    }
}
