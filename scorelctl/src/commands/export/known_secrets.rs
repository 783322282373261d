use std::env;
use std::fs;

use scorel_client::DaemonHome;
use scorel_transfer::audit::Redaction;

/// The ends of names of variables with a secret.
const ENDINGS: [&str; 5] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD"];

/// The secrets that this machine knows: all variables of the home's `env` file, and those of the environment that have
/// the name of a secret.
pub(crate) fn known_secrets(home: &DaemonHome) -> Redaction {
    let file = fs::read_to_string(home.path().join("env")).unwrap_or_default();
    let of_file = file.lines().filter_map(assignment);
    let is_secret = |name: &str| ENDINGS.iter().any(|ending| name.ends_with(ending));
    let of_process = env::vars_os().filter_map(|(name, value)| {
        let both = (name.into_string().ok()?, value.into_string().ok()?);
        is_secret(&both.0.to_ascii_uppercase()).then_some(both)
    });
    Redaction::of(of_file.chain(of_process))
}

/// Quotes around the value are not of the value.
fn assignment(line: &str) -> Option<(String, String)> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim().trim_start_matches("export ").trim();
    let value = value.trim();
    let quoted = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    let value = quoted('"').or_else(|| quoted('\'')).unwrap_or(value);
    let is_named = !name.is_empty() && !name.starts_with(['#', ';']);
    is_named.then(|| (name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::assignment;

    #[test]
    fn an_assignment_is_a_name_and_a_value_without_quotes() {
        let both = |name: &str, value: &str| Some((name.to_owned(), value.to_owned()));
        assert_eq!(assignment("A_KEY=sk-1"), both("A_KEY", "sk-1"));
        assert_eq!(assignment("export B = \"sk=2\" "), both("B", "sk=2"));
        assert_eq!(assignment("C='x'"), both("C", "x"));
        assert_eq!(assignment("# D=x"), None);
        assert_eq!(assignment("no"), None);
    }
}
