//! Permission requests as text, and the answers typed to them.

use std::str::FromStr;

use scorel_proto::{PermissionDecision, PermissionRequestBody, RuntimeQuestion};

use crate::escape::{one_line, visible};

/// Describes a request in lines. Text written by the model is escaped, so that it cannot imitate
/// this program's own output.
pub(crate) fn describe(request: &PermissionRequestBody) -> Vec<String> {
    let mut lines = vec![format!(
        "{} asks for permission: {}",
        one_line(&request.tool_name),
        one_line(&request.reason)
    )];
    lines.extend(
        arguments(request)
            .into_iter()
            .map(|line| format!("  {line}")),
    );
    if !request.rules.is_empty() {
        let rules: Vec<String> = request.rules.iter().map(|rule| one_line(rule)).collect();
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

/// Says which question the session of an agent asks, and how a person answers it: a model never does.
pub(crate) fn child_question(question: &RuntimeQuestion) -> String {
    let RuntimeQuestion {
        session_id,
        request_id,
        tool_name,
    } = question;
    format!(
        "{} asks for permission in {session_id}: `scorelctl approve --session {session_id} {request_id}` \
         allows it, with --deny it is refused",
        one_line(tool_name)
    )
}

/// One line per argument; a multi-line argument, such as a command, keeps its lines.
fn arguments(request: &PermissionRequestBody) -> Vec<String> {
    let Some(fields) = request.input.as_object() else {
        return vec![one_line(&request.input.to_string())];
    };
    let mut lines = Vec::new();
    for (name, value) in fields {
        match value.as_str() {
            Some(text) if text.contains('\n') => {
                lines.push(format!("{}:", one_line(name)));
                lines.extend(visible(text).lines().map(|line| format!("  {line}")));
            }
            Some(text) => lines.push(format!("{}: {}", one_line(name), one_line(text))),
            None => lines.push(format!(
                "{}: {}",
                one_line(name),
                one_line(&value.to_string())
            )),
        }
    }
    lines
}

/// An answer typed by the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PermissionReply {
    pub(crate) decision: PermissionDecision,
    pub(crate) reason: Option<String>,
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
        let question = RuntimeQuestion {
            session_id: "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap(),
            request_id: "prm_01ARZ3NDEKTSV4RRFFQ69G5FAW".parse().unwrap(),
            tool_name: "Ba\u{1b}sh".to_owned(),
        };
        assert_eq!(
            child_question(&question),
            "Ba^[sh asks for permission in ses_01ARZ3NDEKTSV4RRFFQ69G5FAV: `scorelctl approve --session \
             ses_01ARZ3NDEKTSV4RRFFQ69G5FAV prm_01ARZ3NDEKTSV4RRFFQ69G5FAW` allows it, with --deny it is \
             refused"
        );
    }

    #[test]
    fn input_of_the_model_is_shown_without_escape_sequences() {
        let mut request = PermissionRequestBody {
            request_id: PermissionRequestId::generate(),
            tool_call_id: "c1".to_owned(),
            tool_name: "Bash".to_owned(),
            input: json!({"command": "echo \u{1b}[2J\nrm -rf x", "background": true}),
            reason: "no rule allows it".to_owned(),
            rules: vec!["Bash(rm -rf x)".to_owned()],
            session_only: false,
            deadline: None,
            at_deadline: None,
        };
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
}
