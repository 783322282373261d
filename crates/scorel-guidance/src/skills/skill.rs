use std::path::{Path, PathBuf};

use scorel_frontmatter::Frontmatter;
use scorel_home::trusted_file::{self, Trust};

/// The file that makes a directory a skill.
pub(super) const FILE: &str = "SKILL.md";

/// Bytes of a [`FILE`].
const MAX_BYTES: u64 = 1024 * 1024;

/// Bytes of a text that the model gets at once. A longer one is cut, with a word on where the rest is.
pub(super) const MAX_TOLD: usize = 64 * 1024;

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
    /// Oddities of its file, although it can be used.
    pub warning: Option<String>,
}

/// The name that a skill has to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SkillName<'a> {
    /// That of its directory.
    Directory(&'a str),
    /// This one, whatever its file says. Other programs name the skills of plugins after their directories.
    Plugin(&'a str),
}

impl Skill {
    /// Reads the skill in a directory.
    ///
    /// # Errors
    /// What is wrong with it, for people.
    pub(super) fn read(dir: &Path, name: SkillName<'_>, trust: Trust) -> Result<Self, String> {
        let path: PathBuf = dir.join(FILE);
        let read = trusted_file::read(&path, MAX_BYTES, trust);
        let (_, bytes) = read
            .map_err(|error| scorel_proto::ErrorChain(&error).to_string())?
            .ok_or_else(|| format!("it has no {FILE}"))?;
        let text = scorel_fs::text_of(&bytes);
        Self::parse(&text, name).map_err(|reason| format!("{FILE}: {reason}"))
    }

    fn parse(text: &str, name: SkillName<'_>) -> Result<Self, String> {
        let head = Frontmatter::parse(text).map_err(|error| error.to_string())?;
        let get = |field| head.text(field).map_err(|error| error.to_string());
        let (name, mut warnings) = name.checked(get("name")?)?;
        let description = get("description")?.unwrap_or_default();
        // One line: it becomes an entry of a list.
        let description: Vec<&str> = description.split_whitespace().collect();
        let mut description = description.join(" ");
        if description.is_empty() {
            return Err("`description` is missing".to_owned());
        }
        if let Some((end, _)) = description.char_indices().nth(MAX_DESCRIPTION) {
            warnings.push(format!(
                "`description` is cut after {MAX_DESCRIPTION} characters"
            ));
            description.truncate(end);
        }
        if let Some(warning) = &head.warning {
            warnings.push(format!("its head is no YAML: {warning}"));
        }
        if head.body.len() > MAX_TOLD {
            warnings.push(format!(
                "the model is given the first {MAX_TOLD} bytes of its text"
            ));
        }
        if head.has("hooks") {
            warnings.push("its `hooks` are not run".to_owned());
        }
        let is_hidden = head.flag("disable-model-invocation");
        Ok(Self {
            name: name.to_owned(),
            description,
            for_model: is_hidden.map_err(|error| error.to_string())? != Some(true),
            body: head.body.to_owned(),
            warning: (!warnings.is_empty()).then(|| warnings.join("; ")),
        })
    }
}

impl<'a> SkillName<'a> {
    pub(super) const fn as_str(self) -> &'a str {
        match self {
            Self::Directory(name) | Self::Plugin(name) => name,
        }
    }

    /// The name, if the file may say this, with warnings.
    fn checked(self, said: Option<&str>) -> Result<(&'a str, Vec<String>), String> {
        let mut warnings = Vec::new();
        match self {
            Self::Directory(directory) => {
                let said = said.ok_or("`name` is missing")?;
                if !is_name(said) {
                    return Err(format!(
                        "`name` must have 1 to {MAX_NAME} lower-case letters, digits and `-`"
                    ));
                }
                if said != directory {
                    return Err(format!("`name` is not `{directory}`, as its directory is"));
                }
            }
            Self::Plugin(name) => {
                let own = name.rsplit(':').next();
                if said.is_some() && said != own {
                    warnings.push("`name` is not that of its directory, which counts".to_owned());
                }
            }
        }
        Ok((self.as_str(), warnings))
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
        let named = SkillName::Directory("pdf");
        let skill = Skill::parse(text, named).unwrap();
        assert_eq!((skill.for_model, skill.body.as_str()), (true, "Do this.\n"));
        assert_eq!(skill.warning, None);
        for (text, expected) in [
            (text.replace("pdf\n", "docx\n"), "`name` is not `pdf`"),
            (text.replace("pdf\n", "P_D\n"), "lower-case letters"),
            (text.replace("name", "title"), "`name` is missing"),
            (
                text.replace("Reads PDF files", ""),
                "`description` is missing",
            ),
            (
                text.replace("---\nDo", "disable-model-invocation: maybe\n---\nDo"),
                "neither true nor false",
            ),
        ] {
            let error = Skill::parse(&text, named).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn what_other_programs_read_loads_with_a_warning() {
        let text = "---\nname: other\ndescription: Use when: it rains\nhooks: {}\n---\nDo this.\n";
        let skill = Skill::parse(text, SkillName::Plugin("tools:pdf")).unwrap();
        assert_eq!(
            (skill.name.as_str(), skill.description.as_str()),
            ("tools:pdf", "Use when: it rains")
        );
        let warning = skill.warning.unwrap();
        for part in [
            "is not that of its directory",
            "no YAML: line 3, column",
            "`hooks` are not run",
        ] {
            assert!(warning.contains(part), "{warning}");
        }
        let long = format!(
            "---\nname: pdf\ndescription: {}\n---\n{}",
            "x".repeat(MAX_DESCRIPTION + 1),
            "y".repeat(MAX_TOLD + 1)
        );
        let skill = Skill::parse(&long, SkillName::Directory("pdf")).unwrap();
        assert_eq!(
            (skill.description.len(), skill.body.len()),
            (MAX_DESCRIPTION, MAX_TOLD + 1)
        );
        let warning = skill.warning.unwrap();
        assert!(
            warning.contains("cut after 1024") && warning.contains("the first 65536"),
            "{warning}"
        );
    }
}
