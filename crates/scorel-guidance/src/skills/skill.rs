use std::path::{Path, PathBuf};

use scorel_extension::Frontmatter;
use scorel_home::trusted_file::{self, Trust};

/// The file that makes a directory a skill.
pub(super) const FILE: &str = "SKILL.md";

/// Bytes of a [`FILE`].
const MAX_BYTES: u64 = 64 * 1024;

/// Characters of a name.
const MAX_NAME: usize = 64;

/// Characters of a description.
const MAX_DESCRIPTION: usize = 1_024;

/// A skill: its frontmatter, checked, and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    pub name: String,
    pub description: String,
    /// True if the model may load it on its own.
    pub(crate) for_model: bool,
    /// The text after the frontmatter.
    pub body: String,
}

impl Skill {
    /// Reads the skill in a directory. `name` is the name of the directory, which the skill must have too.
    ///
    /// # Errors
    /// What is wrong with it, for people.
    pub fn read(dir: &Path, name: &str, trust: Trust) -> Result<Self, String> {
        let path: PathBuf = dir.join(FILE);
        let read = trusted_file::read(&path, MAX_BYTES, trust);
        let (_, bytes) = read
            .map_err(|error| scorel_proto::ErrorChain(&error).to_string())?
            .ok_or_else(|| format!("it has no {FILE}"))?;
        let text = scorel_fs::text_of(&bytes);
        Self::parse(&text, name).map_err(|reason| format!("{FILE}: {reason}"))
    }

    fn parse(text: &str, directory: &str) -> Result<Self, String> {
        let head = Frontmatter::parse(text).map_err(|error| error.to_string())?;
        let get = |field| head.text(field).map_err(|error| error.to_string());
        let name = get("name")?.ok_or("`name` is missing")?;
        if !is_name(name) {
            return Err(format!(
                "`name` must have 1 to {MAX_NAME} lower-case letters, digits and `-`"
            ));
        }
        if name != directory {
            return Err(format!("`name` is not `{directory}`, as its directory is"));
        }
        let description = get("description")?.unwrap_or_default();
        // One line: it becomes an entry of a list.
        let description: Vec<&str> = description.split_whitespace().collect();
        let description = description.join(" ");
        if description.is_empty() {
            return Err("`description` is missing".to_owned());
        }
        if description.chars().count() > MAX_DESCRIPTION {
            return Err(format!(
                "`description` has more than {MAX_DESCRIPTION} characters"
            ));
        }
        let is_hidden = head.flag("disable-model-invocation");
        Ok(Self {
            name: name.to_owned(),
            description,
            for_model: is_hidden.map_err(|error| error.to_string())? != Some(true),
            body: head.body.to_owned(),
        })
    }
}

/// Returns whether a skill can have this name.
pub(super) fn is_name(name: &str) -> bool {
    let allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_has_the_name_of_its_directory_and_a_description() {
        let text = "---\nname: pdf\ndescription: Reads PDF files\n---\nDo this.\n";
        let skill = Skill::parse(text, "pdf").unwrap();
        assert_eq!((skill.for_model, skill.body.as_str()), (true, "Do this.\n"));
        let long = "x".repeat(MAX_DESCRIPTION + 1);
        for (text, expected) in [
            (text.replace("pdf\n", "docx\n"), "`name` is not `pdf`"),
            (text.replace("pdf\n", "P_D\n"), "lower-case letters"),
            (text.replace("name", "title"), "`name` is missing"),
            (
                text.replace("Reads PDF files", ""),
                "`description` is missing",
            ),
            (text.replace("Reads PDF files", &long), "more than 1024"),
            (
                text.replace("---\nDo", "disable-model-invocation: maybe\n---\nDo"),
                "neither true nor false",
            ),
        ] {
            let error = Skill::parse(&text, "pdf").unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
