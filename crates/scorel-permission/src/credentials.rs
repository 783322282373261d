//! Places that hold credentials: kept from tools and from commands unless the user shows them.
//!
//! One table for both. Rows are data: a program's place is added to `table.rs` and nowhere else. A
//! place is hidden with everything below it, so the rows of programs whose configuration builds read
//! name the file with the secret and not its directory.

mod kind;
mod table;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

pub use kind::CredentialKind;
use table::{DIRECTORY_VARIABLES, FILE_VARIABLES, PLACES};

/// A place that holds credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CredentialPlace {
    /// An absolute path. It need not exist.
    pub path: PathBuf,
    pub kind: CredentialKind,
}

/// The places of a user with this home directory. `variable` looks up environment variables, with
/// which programs move their places.
pub fn credential_places(
    home: &Path,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Vec<CredentialPlace> {
    let mut places = Vec::new();
    let mut add = |path: PathBuf, kind| {
        // A variable may name anything: `HISTFILE=/dev/null` is usual, and what contains the home is not
        // a place of credentials.
        if path.is_absolute() && !path.starts_with("/dev") && !home.starts_with(&path) {
            places.push(CredentialPlace { path, kind });
        }
    };
    let moved: Vec<(PathBuf, &str)> = DIRECTORY_VARIABLES
        .iter()
        .filter_map(|(name, usual)| Some((PathBuf::from(variable(name)?), *usual)))
        .collect();
    for (kind, rows) in PLACES {
        for row in *rows {
            // An absolute row replaces the home.
            add(home.join(row), *kind);
            for (directory, usual) in &moved {
                if let Ok(rest) = Path::new(row).strip_prefix(usual) {
                    add(joined(directory, rest), *kind);
                }
            }
        }
    }
    for (name, kind) in FILE_VARIABLES {
        let value = variable(name).unwrap_or_default();
        for path in std::env::split_paths(AsRef::<OsStr>::as_ref(&value)) {
            add(path, *kind);
        }
    }
    places
}

/// Joining an empty path would add a slash.
fn joined(directory: &Path, rest: &Path) -> PathBuf {
    directory.iter().chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn places(variables: &[(&str, &str)]) -> Vec<CredentialPlace> {
        credential_places(Path::new("/home/u"), |name| {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| OsString::from(value))
        })
    }

    fn kind_of(places: &[CredentialPlace], path: &str) -> Option<CredentialKind> {
        let found = places.iter().find(|place| place.path == Path::new(path));
        found.map(|place| place.kind)
    }

    #[test]
    fn every_row_is_there_once_and_is_a_path() {
        let places = places(&[]);
        let paths: HashSet<&Path> = places.iter().map(|place| place.path.as_path()).collect();
        assert_eq!(paths.len(), places.len());
        assert!(places.len() >= 50, "{}", places.len());
        assert!(places.iter().all(|place| place.path.is_absolute()));
    }

    #[test]
    fn a_variable_moves_a_directory_and_the_usual_one_stays_hidden() {
        let moved = [
            ("CARGO_HOME", "/c"),
            ("XDG_CONFIG_HOME", "/x"),
            ("GNUPGHOME", "/g"),
        ];
        let places = places(&moved);
        for path in [
            "/c/credentials.toml",
            "/home/u/.cargo/credentials.toml",
            "/x/gcloud",
            "/g",
        ] {
            assert!(kind_of(&places, path).is_some(), "{path}");
        }
        assert_eq!(kind_of(&places, "/c"), None);
    }

    #[test]
    fn a_variable_names_files() {
        let named = [
            ("KUBECONFIG", "/k/one:/k/two"),
            ("NETRC", "relative"),
            ("HISTFILE", "/dev/null"),
            ("GNUPGHOME", "/home"),
        ];
        let places = places(&named);
        let kind = Some(CredentialKind::Containers);
        assert_eq!(kind_of(&places, "/k/one"), kind);
        assert_eq!(kind_of(&places, "/k/two"), kind);
        for path in ["relative", "/dev/null", "/home"] {
            assert_eq!(kind_of(&places, path), None, "{path}");
        }
    }
}
