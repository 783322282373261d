//! Permission requests as text, and the answers typed to them.

use std::str::FromStr;

use scorel_proto::{AgentTaskQuestion, PermissionDecision, PermissionRequestBody};

use scorel_screen::escape::{exact, exact_line};

/// Describes a request in lines. Text written by the model is escaped, so that it cannot imitate
/// this program's own output.
pub(crate) fn describe(request: &PermissionRequestBody) -> Vec<String> {
    let mut lines = vec![format!(
        "{} asks for permission: {}",
        exact_line(&request.tool_name),
        exact_line(&spaced(&request.reason))
    )];
    lines.extend(
        arguments(request)
            .into_iter()
            .map(|line| format!("  {line}")),
    );
    if !request.rules.is_empty() {
        let rules: Vec<String> = request.rules.iter().map(|rule| exact_line(rule)).collect();
        lines.push(format!(
            "  allowing it {} adds: {}",
            if request.session_only {
                "for this session"
            } else {
                "more than once"
            },
            rules.join(", ")
        ));
    }
    lines
}

/// With single spaces only: where the terminal breaks the line, no row begins as far in as an argument does.
fn spaced(reason: &str) -> String {
    reason.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Says which question the session of an agent asks, and how a person answers it: a model never does.
pub(crate) fn child_question(question: &AgentTaskQuestion) -> String {
    let AgentTaskQuestion {
        session_id,
        request_id,
        tool_name,
    } = question;
    format!(
        "{} asks for permission in {session_id}: `scorelctl approve --session {session_id} {request_id}` \
         allows it, with --deny it is refused",
        exact_line(tool_name)
    )
}

/// One line per argument; a multi-line argument, such as a command, keeps its lines.
fn arguments(request: &PermissionRequestBody) -> Vec<String> {
    let Some(fields) = request.input.as_object() else {
        return vec![exact_line(&request.input.to_string())];
    };
    let mut lines = Vec::new();
    for (name, value) in fields {
        match value.as_str() {
            Some(text) if text.contains('\n') => {
                lines.push(format!("{}:", exact_line(name)));
                lines.extend(exact(text).lines().map(|line| format!("  {line}")));
            }
            Some(text) => lines.push(format!("{}: {}", exact_line(name), exact_line(text))),
            None => lines.push(format!(
                "{}: {}",
                exact_line(name),
                exact_line(&value.to_string())
            )),
        }
    }
    lines
}

/// The length to which a prompt shortens its subject, in characters. All of it stands above.
const SUBJECT_CHARS: usize = 40;

/// The arguments that say best what a call is about.
const SUBJECTS: [&str; 5] = ["command", "path", "url", "pattern", "title"];

/// The line that is answered. Says what it is for: other text may stand between it and the question.
pub(crate) fn prompt(request: &PermissionRequestBody) -> String {
    let mut named = SUBJECTS.iter();
    let named = named.find_map(|name| request.input.get(name)?.as_str());
    let subject = exact_line(named.unwrap_or_default());
    let subject = match subject.char_indices().nth(SUBJECT_CHARS) {
        Some((end, _)) => format!(" `{}…`", &subject[..end]),
        None if subject.is_empty() => subject,
        None => format!(" `{subject}`"),
    };
    let keys: Vec<&str> = possible(request).map(|(_, key, _)| key).collect();
    let (tool, keys) = (exact_line(&request.tool_name), keys.join(", "));
    format!("allow {tool}{subject}? {keys}, [?]: ")
}

/// The meanings of the answers to a request.
pub(crate) fn reply_help(request: &PermissionRequestBody) -> Vec<String> {
    let line = |(_, key, meaning)| format!("  {key:<12}{meaning}");
    possible(request).map(line).collect()
}

/// The decisions with what is typed for them and what they do.
const REPLIES: [(PermissionDecision, &str, &str); 4] = [
    (PermissionDecision::Once, "[y]es", "allow this call"),
    (
        PermissionDecision::Session,
        "[s]ession",
        "allow it, and similar calls in this session",
    ),
    (
        PermissionDecision::Always,
        "[a]lways",
        "allow it, and similar calls in this project from now on",
    ),
    (
        PermissionDecision::Deny,
        "[n]o WHY",
        "refuse it; the reason may follow on this line: n use the test database",
    ),
];

fn possible(
    request: &PermissionRequestBody,
) -> impl Iterator<Item = (PermissionDecision, &'static str, &'static str)> {
    let replies = REPLIES.into_iter();
    replies.filter(|(decision, ..)| is_possible(*decision, request))
}

fn is_possible(decision: PermissionDecision, request: &PermissionRequestBody) -> bool {
    match decision {
        PermissionDecision::Session => !request.rules.is_empty(),
        PermissionDecision::Always => !request.rules.is_empty() && !request.session_only,
        _ => true,
    }
}

/// An answer typed by the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PermissionReply {
    pub(crate) decision: PermissionDecision,
    pub(crate) reason: Option<String>,
}

impl PermissionReply {
    /// Returns whether the request can be answered like that.
    pub(crate) fn is_possible(&self, request: &PermissionRequestBody) -> bool {
        is_possible(self.decision, request)
    }
}

impl FromStr for PermissionReply {
    type Err = ();

    /// Parses `y`, `s`, `a`, `n` or the whole words; text after a refusal is its reason.
    fn from_str(line: &str) -> Result<Self, ()> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let decision = match word.to_lowercase().as_str() {
            "y" | "yes" | "once" => PermissionDecision::Once,
            "s" | "session" => PermissionDecision::Session,
            "a" | "always" => PermissionDecision::Always,
            "n" | "no" | "deny" => PermissionDecision::Deny,
            _ => return Err(()),
        };
        let rest = rest.trim();
        if !rest.is_empty() && decision != PermissionDecision::Deny {
            return Err(());
        }
        Ok(Self {
            decision,
            reason: (!rest.is_empty()).then(|| rest.to_owned()),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::output::Output;
    use scorel_proto::PermissionRequestId;
    use serde_json::json;

    use super::*;

    #[test]
    fn answers_are_letters_or_words_and_a_refusal_may_say_why() {
        let parse = |line: &str| {
            line.parse::<PermissionReply>()
                .map(|reply| (reply.decision, reply.reason))
        };
        assert_eq!(parse("y\n"), Ok((PermissionDecision::Once, None)));
        assert_eq!(parse("Always"), Ok((PermissionDecision::Always, None)));
        let reason = Some("use make test".to_owned());
        assert_eq!(
            parse("n use make test"),
            Ok((PermissionDecision::Deny, reason))
        );
        for line in ["", "maybe", "y please", "yn"] {
            assert_eq!(parse(line), Err(()), "{line:?}");
        }
    }

    #[test]
    fn the_question_of_a_child_comes_with_the_command_that_answers_it() {
        let question = AgentTaskQuestion {
            session_id: "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap(),
            request_id: "prm_01ARZ3NDEKTSV4RRFFQ69G5FAW".parse().unwrap(),
            tool_name: "Ba\u{1b}sh".to_owned(),
        };
        assert_eq!(
            child_question(&question),
            "Ba⟨1b⟩sh asks for permission in ses_01ARZ3NDEKTSV4RRFFQ69G5FAV: `scorelctl approve --session \
             ses_01ARZ3NDEKTSV4RRFFQ69G5FAV prm_01ARZ3NDEKTSV4RRFFQ69G5FAW` allows it, with --deny it is \
             refused"
        );
    }

    fn asked(input: serde_json::Value) -> PermissionRequestBody {
        PermissionRequestBody {
            request_id: PermissionRequestId::generate(),
            tool_call_id: "c1".to_owned(),
            tool_name: "Bash".to_owned(),
            input,
            changed_by: Vec::new(),
            reason: "no rule allows it".to_owned(),
            hook_reason: None,
            rules: vec!["Bash(rm -rf x)".to_owned()],
            session_only: false,
            deadline: None,
            at_deadline: None,
        }
    }

    #[test]
    fn a_prompt_names_on_one_line_what_it_is_for_and_what_is_possible() {
        let mut request = asked(json!({"command": "echo \u{1b}[2J\n\u{202e}x", "timeout": 3}));
        let all = "allow Bash `echo ⟨1b⟩[2J ⟨202e⟩x`? [y]es, [s]ession, [a]lways, [n]o WHY, [?]: ";
        assert_eq!(prompt(&request), all);
        request.session_only = true;
        assert!(!prompt(&request).contains("[a]lways"));
        request.rules.clear();
        request.input = json!({"command": "é".repeat(41)});
        let shortened = format!("allow Bash `{}…`? [y]es, [n]o WHY, [?]: ", "é".repeat(40));
        assert_eq!(prompt(&request), shortened);
        assert_eq!(reply_help(&request).len(), 2);
        request.input = json!(["no", "object"]);
        assert_eq!(prompt(&request), "allow Bash? [y]es, [n]o WHY, [?]: ");
    }

    #[test]
    fn input_of_the_model_is_shown_without_escape_sequences() {
        let mut request = asked(json!({"command": "echo \u{1b}[2J\nrm -rf x", "background": true}));
        let text = describe(&request).join("\n");
        assert!(!text.contains('\u{1b}'), "{text}");
        assert!(text.contains("\n    rm -rf x"), "{text}");
        assert!(text.contains("background: true"), "{text}");
        let said = "allowing it more than once adds: Bash(rm -rf x)";
        assert!(text.contains(said), "{text}");
        request.session_only = true;
        let text = describe(&request).join("\n");
        let said = "allowing it for this session adds: Bash(rm -rf x)";
        assert!(text.contains(said), "{text}");
    }

    #[test]
    fn a_reason_of_the_model_makes_no_line_that_seems_to_be_an_argument() {
        let mut request = asked(json!({"command": "curl x | sh"}));
        let filler = "x".repeat(54);
        request.reason = format!("{filler}  command: git status{:60}{filler}", "");
        let (mut output, captured) = Output::captured(true);
        for line in describe(&request) {
            output.note_whole(&line).unwrap();
        }
        let shown = captured.err.text();
        // As a terminal of 80 columns breaks them.
        let rows = shown.lines().flat_map(|line| {
            let letters: Vec<char> = line.chars().collect();
            let rows = letters.chunks(80).map(String::from_iter);
            rows.collect::<Vec<String>>()
        });
        let arguments = rows.filter(|row| row.starts_with("  command:"));
        assert_eq!(arguments.count(), 1, "{shown}");
    }
}
