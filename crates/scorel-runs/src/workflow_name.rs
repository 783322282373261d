use std::fmt;
use std::str::FromStr;

use scorel_workflow::PackageId;

/// The name of a workflow: the id of a package, or `ID/WORKFLOW`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WorkflowName {
    pub(crate) package: PackageId,
    /// `None` for the entry of the package.
    pub(crate) workflow: Option<String>,
}

impl WorkflowName {
    /// The name of the package among the items of trust, and of copies.
    pub(crate) fn item(&self) -> String {
        item(&self.package)
    }
}

/// The name of a package among the items of trust, and of copies.
pub(crate) fn item(package: &PackageId) -> String {
    format!("workflow:{package}")
}

impl FromStr for WorkflowName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.strip_prefix('/').unwrap_or(text);
        let (package, workflow) = match text.split_once('/') {
            Some((package, workflow)) => (package, Some(workflow.to_owned())),
            None => (text, None),
        };
        let package = package.parse::<PackageId>().map_err(|it| it.to_string())?;
        Ok(Self { package, workflow })
    }
}

impl fmt::Display for WorkflowName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.workflow {
            None => self.package.fmt(f),
            Some(workflow) => write!(f, "{}/{workflow}", self.package),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_package_and_perhaps_a_workflow() {
        for text in ["notes", "notes/main", "create-story/Main"] {
            assert_eq!(text.parse::<WorkflowName>().unwrap().to_string(), text);
        }
        let name: WorkflowName = "/notes".parse().unwrap();
        assert_eq!(name.item(), "workflow:notes");
        for text in ["", "/", "Notes", "../notes", "a b"] {
            assert!(text.parse::<WorkflowName>().is_err(), "{text}");
        }
    }
}
