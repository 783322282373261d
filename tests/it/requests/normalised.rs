use scorel_testkit::RecordedRequest;

use super::scene::Scene;

/// The part of the system prompt that is the same for all sessions.
const BASE: &str = include_str!("../../../crates/scorel-guidance/src/instructions.md");

/// Runs of one character from this length on are written as a number and the character.
const LONG_RUN: usize = 100;

const DATE: &str = "date: ";

/// Lines of the prompt that depend on the machine.
const LINES: [&str; 5] = [
    "\\nsystem: ",
    "\\ntime zone: ",
    "\\ncommands: ",
    "\\nnetwork of commands: ",
    "\\nwritable for commands: ",
];
const CACHE_KEY: &str = "\"prompt_cache_key\":\"";

/// Replaces values that differ from run to run by names, and shortens the base prompt and long runs.
pub(super) struct Normaliser {
    root: String,
    base: String,
    cache_keys: Vec<String>,
}

impl Normaliser {
    pub(super) fn of(scene: &Scene) -> Self {
        let base = serde_json::to_string(BASE.trim()).unwrap();
        Self {
            root: scene.daemon.root().to_str().unwrap().to_owned(),
            base: base.trim_matches('"').to_owned(),
            cache_keys: Vec::new(),
        }
    }

    pub(super) fn body(&mut self, request: &RecordedRequest) -> String {
        let body = std::str::from_utf8(&request.body).unwrap();
        let platform = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
        let body = body
            .replace(&self.root, "<root>")
            .replace(&format!("platform: {platform}"), "platform: <platform>");
        let body = LINES
            .iter()
            .fold(body, |body, mark| line_named(&body, mark));
        let body = replaced(&body, DATE, 10, |_| "<date>".to_owned());
        replaced(&body, CACHE_KEY, 32, |key| self.cache_key(key))
    }

    /// The number of a key, so that equal ones can be told from others.
    fn cache_key(&mut self, key: &str) -> String {
        let known = self.cache_keys.iter().position(|known| known == key);
        let number = known.unwrap_or_else(|| {
            self.cache_keys.push(key.to_owned());
            self.cache_keys.len() - 1
        });
        format!("<cache key {}>", number + 1)
    }

    /// A line without the base prompt and long runs. No two lines become equal.
    pub(super) fn shortened(&self, line: &str) -> String {
        shortened_runs(&line.replace(&self.base, "<base>"))
    }
}

/// The text with other words in the place of those that follow a mark.
fn replaced(text: &str, mark: &str, length: usize, mut with: impl FnMut(&str) -> String) -> String {
    let mut parts = text.split(mark);
    let mut done = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (value, rest) = part.split_at(length);
        done.extend([mark, &with(value), rest]);
    }
    done
}

/// The text with a name in the place of what follows a mark in its line.
fn line_named(text: &str, mark: &str) -> String {
    let mut parts = text.split(mark);
    let mut done = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find("\\n").unwrap_or(part.len());
        done.extend([mark, "<here>", &part[end..]]);
    }
    done
}

fn shortened_runs(line: &str) -> String {
    let mut shortened = String::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let run = rest.len() - rest.trim_start_matches(first).len();
        let count = run / first.len_utf8();
        if count >= LONG_RUN {
            shortened.push_str(&format!("<{count} × {first}>"));
        } else {
            shortened.push_str(&rest[..run]);
        }
        rest = &rest[run..];
    }
    shortened
}

#[test]
fn what_differs_gets_a_name_and_long_runs_a_number() {
    let text = format!("a date: 2026-01-02 {}", "x".repeat(300));
    let named = replaced(&text, DATE, 10, |date| {
        assert_eq!(date, "2026-01-02");
        "<date>".to_owned()
    });
    assert_eq!(shortened_runs(&named), "a date: <date> <300 × x>");
    assert_eq!(shortened_runs("a  bb"), "a  bb");
}
