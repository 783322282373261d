//! Versions of programs.

use std::fmt;

/// The three numbers of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version([u64; 3]);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.0;
        write!(f, "{major}.{minor}.{patch}")
    }
}

impl Version {
    /// The first version in a text, such as `codex-cli 0.169.0`.
    pub fn find(text: &str) -> Option<Self> {
        let is_part = |c: char| c.is_ascii_digit() || c == '.';
        text.split(|c| !is_part(c)).find_map(Self::parse)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.').map(str::parse);
        let mut next = || parts.next()?.ok();
        Some(Self([next()?, next()?, next()?]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_and_compared_by_number() {
        let find = |text| Version::find(text).unwrap();
        assert_eq!(find("codex-cli 0.169.0\n").to_string(), "0.169.0");
        assert_eq!(find("2.1.197 (Claude Code)"), find("v2.1.197-beta.1"));
        assert!(find("0.9.10") < find("0.10.2"));
        assert_eq!(Version::find("no 1.2 here"), None);
    }
}
