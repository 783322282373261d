//! The umask of commands.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A file mode creation mask: the permissions that new files do not get.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Umask(u32);

impl Umask {
    /// Lets only the user themselves in.
    pub const PRIVATE: Self = Self(0o077);

    /// The permission bits of `mode`.
    pub const fn new(mode: u32) -> Self {
        Self(mode & 0o777)
    }

    /// Parses what `umask` prints in a shell, such as `0022`.
    pub fn parse(text: &str) -> Option<Self> {
        let mode = u32::from_str_radix(text.trim(), 8).ok()?;
        (mode <= 0o777).then_some(Self(mode))
    }

    pub const fn bits(self) -> u32 {
        self.0
    }

    /// `mode` without the permissions that the mask clears.
    pub const fn apply(self, mode: u32) -> u32 {
        mode & !self.0
    }
}

/// As octal digits.
impl fmt::Display for Umask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:03o}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shells_print_is_parsed() {
        for (text, expected) in [
            ("0022\n", Some(0o022)),
            ("022", Some(0o022)),
            ("77", Some(0o077)),
            ("0", Some(0)),
            ("u=rwx,g=rx,o=rx", None),
            ("", None),
            ("7777", None),
        ] {
            assert_eq!(Umask::parse(text).map(Umask::bits), expected, "{text:?}");
        }
        let umask = Umask::new(0o027);
        assert_eq!(
            (umask.apply(0o666), umask.to_string()),
            (0o640, "027".to_owned())
        );
    }
}
