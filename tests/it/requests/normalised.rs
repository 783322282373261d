use scorel_testkit::RecordedRequest;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::scene::Scene;

/// The part of the system prompt that is the same for all sessions.
const BASE: &str = include_str!("../../../crates/scorel-guidance/src/instructions.md");

/// Runs of one character from this length on are written as a number and the character.
const LONG_RUN: usize = 100;

/// Lines of a text within a text that are the same, from this number on, are written as a number and the line.
const SAME_LINES: usize = 20;

/// Bytes of a text from which on an outline has its beginning only.
const LONG_TEXT: usize = 60;

/// Characters of such a text that an outline has.
const BEGINNING: usize = 24;

/// The size of a document with times, which may be shorter or longer.
const DOCUMENT_SIZE: &str = "@state/workflow.md\\\",\\\"bytes\\\":";

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
    hashes: Vec<String>,
}

impl Normaliser {
    pub(super) fn of(scene: &Scene) -> Self {
        let base = serde_json::to_string(BASE.trim()).unwrap();
        Self {
            root: scene.daemon.root().to_str().unwrap().to_owned(),
            base: base.trim_matches('"').to_owned(),
            cache_keys: Vec::new(),
            hashes: Vec::new(),
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
        let body = number_named(&body, DOCUMENT_SIZE);
        let keys = &mut self.cache_keys;
        let body = replaced(&body, CACHE_KEY, 32, |key| {
            format!("<cache key {}>", number(keys, key))
        });
        words_named(&body, |word| self.word(word))
    }

    /// The name of a word that differs from run to run.
    fn word(&mut self, word: &str) -> Option<String> {
        let is_hash = word.len() == 64 && word.bytes().all(|it| it.is_ascii_hexdigit());
        let id = word.split_once('_').filter(|(_, id)| id.len() == 26);
        let is_time = word.len() > 19 && word.ends_with('Z') && word.as_bytes()[10] == b'T';
        match id {
            Some((kind @ ("run" | "prj"), _)) => Some(format!("<{kind}>")),
            _ if is_hash => Some(format!("<sha256 {}>", number(&mut self.hashes, word))),
            _ if is_time => Some("<time>".to_owned()),
            _ => None,
        }
    }

    /// A line without the base prompt and long runs. No two lines become equal.
    pub(super) fn shortened(&self, line: &str) -> String {
        shortened_runs(&shortened_lines(&line.replace(&self.base, "<base>")))
    }
}

/// The number of a value, so that equal ones can be told from others.
fn number(known: &mut Vec<String>, value: &str) -> usize {
    let place = known.iter().position(|known| known == value);
    let place = place.unwrap_or_else(|| {
        known.push(value.to_owned());
        known.len() - 1
    });
    place + 1
}

/// The text with names in the place of some of its words.
fn words_named(text: &str, mut name: impl FnMut(&str) -> Option<String>) -> String {
    let is_part = |char: char| char.is_ascii_alphanumeric() || "_-:.".contains(char);
    let mut done = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|it| !is_part(it)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        done.push_str(name(word).as_deref().unwrap_or(word));
        let other = after.find(is_part).unwrap_or(after.len());
        done.push_str(&after[..other]);
        rest = &after[other..];
    }
    done
}

/// The text with a name in the place of the numbers behind a mark.
fn number_named(text: &str, mark: &str) -> String {
    let mut parts = text.split(mark);
    let mut done = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|it: char| it.is_ascii_digit());
        done.extend([mark, "<size>", rest]);
    }
    done
}

/// The line with a number in the place of many equal lines of a text within its text.
fn shortened_lines(line: &str) -> String {
    const END: &str = "\\\\n";
    let pieces: Vec<&str> = line.split(END).collect();
    let runs = pieces.chunk_by(|one, other| one == other);
    let runs: Vec<String> = runs
        .map(|run| match run.len() >= SAME_LINES {
            true => format!("<{} × {}>", run.len(), run[0]),
            false => run.join(END),
        })
        .collect();
    runs.join(END)
}

/// The line with the beginnings of its long texts, each with its size and hash.
pub(super) fn outline(line: &str) -> String {
    let (comma, json) = match line.strip_prefix(',') {
        Some(json) => (",", json),
        None => ("", line),
    };
    let Ok(mut value) = serde_json::from_str::<Value>(json) else {
        return line.to_owned();
    };
    outline_value(&mut value);
    format!("{comma}{value}")
}

fn outline_value(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > LONG_TEXT => {
            let begin: String = text.chars().take(BEGINNING).collect();
            let hash = format!("{:x}", Sha256::digest(text.as_bytes()));
            *text = format!("{begin}… <{} bytes, {}>", text.len(), &hash[..12]);
        }
        Value::Array(items) => items.iter_mut().for_each(outline_value),
        Value::Object(fields) => fields.values_mut().for_each(outline_value),
        _ => {}
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

#[test]
fn words_that_differ_get_a_name_and_many_equal_lines_a_number() {
    let mut hashes = Vec::new();
    let text = "sha \"00ff\", then x-1: 00ff\\\\nb";
    let named = words_named(text, |word| {
        (word == "00ff").then(|| format!("<{}>", number(&mut hashes, word)))
    });
    assert_eq!(named, "sha \"<1>\", then x-1: <1>\\\\nb");
    let lines = format!("a\\\\n{}c", "b\\\\n".repeat(SAME_LINES));
    assert_eq!(
        shortened_lines(&lines),
        format!("a\\\\n<{SAME_LINES} × b>\\\\nc")
    );
    assert_eq!(shortened_lines("a\\\\na"), "a\\\\na");
    let text = "x".repeat(LONG_TEXT + 1);
    let outlined = outline(&format!(",{{\"a\":[\"{text}\",\"b\"]}}"));
    assert!(outlined.starts_with(",{\"a\":[\"xxxx"), "{outlined}");
    assert!(
        outlined.ends_with("\",\"b\"]}") && outlined.contains("… <61 bytes, "),
        "{outlined}"
    );
    assert_eq!(outline("]"), "]");
}
