//! Every problem of a file, where the loader stops at the first one.

use std::path::Path;

use scorel_home::trusted_file;
use toml::de::DeTable;

use super::file_layer::{FileLayer, MAX_BYTES};
use super::origin::DocumentOrigin;
use super::parse::{origin_of, read};
use super::text_keys::TextKeys;
use super::{Config, ConfigError};

/// Problems that are reported of one file. A file with more of them is no configuration.
const MAX_PROBLEMS: usize = 64;

/// What is wrong with a file, in the order of its text. A missing file has no problem.
pub(super) fn problems_of_file(path: &Path, layer: FileLayer) -> Vec<ConfigError> {
    match trusted_file::read(path, MAX_BYTES, layer.trust()) {
        Ok(Some((_, bytes))) => problems_of_text(path, &bytes, layer),
        Ok(None) => Vec::new(),
        Err(problem) => vec![problem.into()],
    }
}

/// What is wrong with the text of a file.
///
/// Runs the loader again and again, each time with the key that it rejected last replaced by blanks, so
/// that all positions stay the same.
pub(super) fn problems_of_text(path: &Path, bytes: &[u8], layer: FileLayer) -> Vec<ConfigError> {
    let mut origin = match origin_of(path, bytes) {
        Ok(origin) => origin,
        Err(error) => return vec![error],
    };
    let syntax = syntax_errors(&origin);
    if !syntax.is_empty() {
        return syntax;
    }
    let mut found: Vec<ConfigError> = Vec::new();
    while found.len() < MAX_PROBLEMS {
        let Err(error) = layer.check(&origin) else {
            break;
        };
        let key = error.key().map(str::to_owned);
        // A key that is blank is missing: that is no problem of the file.
        let is_known = key.is_some() && found.iter().any(|known| known.key() == key.as_deref());
        if !is_known {
            found.push(error);
        }
        let Some(text) = key.and_then(|key| without(origin.text(), &key, is_known)) else {
            break;
        };
        origin = DocumentOrigin::new(path.to_owned(), text);
    }
    found.sort_by_key(place);
    found
}

/// Accepts a change that leaves no problem but agents whose runner was not there before: else two of them would
/// keep each other, and every other key, from being set right.
pub(super) fn check_change(
    layer: FileLayer,
    before: &DocumentOrigin,
    after: &DocumentOrigin,
) -> Result<(), ConfigError> {
    let Err(error) = layer.check(after) else {
        return Ok(());
    };
    if layer == FileLayer::Project || Config::from_user(&read(after)?, after).is_err() {
        return Err(error);
    }
    let problems = |it: &DocumentOrigin| problems_of_text(it.path(), it.text().as_bytes(), layer);
    let known: Vec<_> = problems(before).iter().map(ConfigError::problem).collect();
    let is_new = |error: &ConfigError| {
        let new = error.problem();
        !known
            .iter()
            .any(|it| (&it.key, &it.message) == (&new.key, &new.message))
    };
    problems(after).into_iter().find(is_new).map_or(Ok(()), Err)
}

fn place(error: &ConfigError) -> Option<(usize, usize)> {
    error.position().map(|place| (place.line, place.column))
}

fn syntax_errors(origin: &DocumentOrigin) -> Vec<ConfigError> {
    let (_, errors) = DeTable::parse_recoverable(origin.text());
    let errors = errors.into_iter();
    let mut errors: Vec<_> = errors
        .map(|error| origin.error(error.span(), None, error.message(), None))
        .collect();
    errors.sort_by_key(place);
    // What follows on a line is often a consequence of its first error.
    errors.dedup_by_key(|error| error.position().map(|place| place.line));
    errors.truncate(MAX_PROBLEMS);
    errors
}

/// The text without the key, or without the nearest section around it: without that at once if the key
/// itself is gone already.
fn without(text: &str, key: &str, key_is_gone: bool) -> Option<String> {
    let keys = TextKeys::of(text);
    let mut name = key;
    if key_is_gone {
        name = name.rsplit_once('.')?.0;
    }
    loop {
        if let Some(text) = keys.blanked(name) {
            return Some(text);
        }
        name = name.rsplit_once('.')?.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, layer: FileLayer) -> Vec<String> {
        let problems = problems_of_text(Path::new("f"), text.as_bytes(), layer);
        problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_problem_is_found_with_its_place() {
        let text = "\
[model]
provider = 'opnai'
id = 'gpt'
[runtime]
maxStep = 3
retries = 200
[nonsense]
a = 1
b = 2
[permissions]
mode = 'wrkspace'
[providers.lab]
api = 'openai-completions'
[providers.attic]
baseUrl = 'http://localhost'
";
        let found = found(text, FileLayer::User);
        for (place, words) in [
            (
                "f:1:1",
                "no builtin provider `opnai`; did you mean `openai`?",
            ),
            (
                "f:5:1",
                "unknown key `runtime.maxStep`; did you mean `maxSteps`?",
            ),
            ("f:6:", "from 0 to 100"),
            ("f:7:", "unknown section or key `nonsense`"),
            ("f:11:", "did you mean `workspace`?"),
            ("f:12:", "`providers.lab.baseUrl`: it is missing"),
            ("f:14:", "`providers.attic.api`: it is missing"),
        ] {
            let is_said = |said: &String| said.starts_with(place) && said.contains(words);
            assert!(found.iter().any(is_said), "{place} {words}: {found:#?}");
        }
        assert_eq!(found.len(), 7, "{found:#?}");
    }

    #[test]
    fn what_is_no_toml_is_reported_as_that() {
        let found = found(
            "[runtime]\nmaxSteps = \nretries = 3 4\n[nonsense]\n",
            FileLayer::Project,
        );
        assert_eq!(found.len(), 2, "{found:#?}");
        assert!(
            found[0].starts_with("f:2:") && found[1].starts_with("f:3:"),
            "{found:#?}"
        );
        assert!(super::problems_of_text(Path::new("f"), b"", FileLayer::User).is_empty());
    }
}
