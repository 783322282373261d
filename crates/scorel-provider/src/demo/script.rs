use scorel_engine::ToolSpec;
use serde_json::{Value, json};

use super::listing;
use super::turn::{DemoStep, DemoTurn};

/// The number of file names that a reply lists.
const NAMES: usize = 12;

/// Files that tell what a directory is about, the best first, in lower case.
const TELLING: [&str; 6] = [
    "readme.md",
    "readme",
    "readme.txt",
    "cargo.toml",
    "package.json",
    "pyproject.toml",
];

#[derive(Debug, PartialEq)]
pub(super) struct DemoReply {
    pub(super) text: String,
    pub(super) call: Option<DemoCall>,
}

#[derive(Debug, PartialEq)]
pub(super) struct DemoCall {
    pub(super) name: &'static str,
    pub(super) input: Value,
}

/// The next step of the turn: list the directory, read one telling file, reply.
pub(super) fn reply(turn: &DemoTurn, tools: &[ToolSpec]) -> DemoReply {
    let has = |name: &str| tools.iter().any(|tool| tool.name == name);
    match &turn.steps[..] {
        [] => look_around(has),
        [listing] if listing.tool == "Glob" && !listing.is_error && has("Read") => {
            match telling_file(&listing::paths(&listing.text)) {
                Some(path) => read(&path),
                None => say(answer(turn)),
            }
        }
        _ => say(answer(turn)),
    }
}

fn look_around(has: impl Fn(&str) -> bool) -> DemoReply {
    let (name, input) = if has("Glob") {
        ("Glob", json!({"pattern": "*"}))
    } else if has("Read") {
        ("Read", json!({"path": "README.md", "limit": 40}))
    } else if has("Grep") {
        ("Grep", json!({"pattern": "TODO", "path": "."}))
    } else {
        return say(format!(
            "{INTRODUCTION}\n\nI was given no tool that I know, so I cannot look at anything.\n\n{ADVICE}"
        ));
    };
    DemoReply {
        text: "Let me look at what is in this directory.\n".to_owned(),
        call: Some(DemoCall { name, input }),
    }
}

fn read(path: &str) -> DemoReply {
    DemoReply {
        text: format!("There is a {path}; I read its beginning.\n"),
        call: Some(DemoCall {
            name: "Read",
            input: json!({"path": path, "limit": 40}),
        }),
    }
}

fn telling_file(paths: &[String]) -> Option<String> {
    let find = |name: &&str| {
        let found = paths.iter().find(|path| path.to_ascii_lowercase() == *name);
        found.cloned()
    };
    TELLING.iter().find_map(find)
}

const fn say(text: String) -> DemoReply {
    DemoReply { text, call: None }
}

const INTRODUCTION: &str = "I am Scorel's built-in demo, not a language model: I look at the \
    current directory and describe what I find, whatever I am asked.";

const ADVICE: &str = "For real answers, run `scorelctl init`, or name a model in `~/.scorel/config.toml`, such as:\n\n\
    ```toml\n\
    [model]\n\
    provider = \"anthropic\"\n\
    id = \"claude-sonnet-5-5\"\n\
    ```\n";

fn answer(turn: &DemoTurn) -> String {
    let mut paragraphs = vec![INTRODUCTION.to_owned()];
    if let Some(question) = quote(&turn.question) {
        paragraphs.push(format!("You asked: “{question}”."));
    }
    paragraphs.extend(turn.steps.iter().map(describe));
    paragraphs.push(ADVICE.to_owned());
    paragraphs.join("\n\n")
}

/// The beginning of the question, as one line.
fn quote(question: &str) -> Option<String> {
    let words: Vec<&str> = question.split_whitespace().take(12).collect();
    let all = question.split_whitespace().count() == words.len();
    let quote: String = words.join(" ").chars().take(120).collect();
    (!quote.is_empty()).then(|| if all { quote } else { format!("{quote} …") })
}

fn describe(step: &DemoStep) -> String {
    if step.is_error {
        let reason = step.text.lines().next().unwrap_or_default();
        return format!("The tool {} failed: {reason}", step.tool);
    }
    match step.tool.as_str() {
        "Glob" => describe_listing(&step.text),
        "Read" => describe_file(&step.text),
        tool => {
            let lines = step.text.lines().count();
            format!("The tool {tool} answered with {}.", count(lines, "line"))
        }
    }
}

fn describe_listing(text: &str) -> String {
    let paths = listing::paths(text);
    if paths.is_empty() {
        return "The directory is empty.".to_owned();
    }
    let names: Vec<String> = paths
        .iter()
        .take(NAMES)
        .map(|path| format!("`{path}`"))
        .collect();
    let more = paths.len() - names.len();
    let rest = if more == 0 {
        String::new()
    } else {
        format!(" and {more} more")
    };
    let least = if listing::has_remark(text) {
        "at least "
    } else {
        ""
    };
    let count = count(paths.len(), "entry");
    format!(
        "The directory has {least}{count}: {}{rest}.",
        names.join(", ")
    )
}

fn describe_file(text: &str) -> String {
    let telling = |line: &&str| line.chars().any(char::is_alphabetic) && !line.starts_with("```");
    match listing::lines(text).find(telling) {
        Some(line) => {
            let line: String = line.chars().take(160).collect();
            format!(
                "The file that I read begins with “{}”.",
                line.trim_start_matches("# ")
            )
        }
        None => "The file that I read holds no words.".to_owned(),
    }
}

fn count(number: usize, noun: &str) -> String {
    match (number, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{number} {stem}ies"),
        (_, None) => format!("{number} {noun}s"),
    }
}
