use scorel_proto::TurnError;

/// A turn's error that names the limit it reached. The hint of a limit that can be raised names its key.
pub(crate) fn limit(code: &str, message: impl Into<String>) -> TurnError {
    TurnError {
        code: code.to_owned(),
        message: message.into(),
        retryable: false,
        hint: hint(code),
        resets_at: None,
        sizes: None,
    }
}

fn hint(code: &str) -> Option<String> {
    let (key, goes_on) = match code {
        "steps" => ("runtime.maxSteps", true),
        "tokens" => ("runtime.maxTurnTokens", true),
        "time" => ("runtime.maxTurnSeconds", true),
        "turn_cost" => ("runtime.maxTurnCost", true),
        "session_cost" => ("runtime.maxSessionCost", false),
        "day_cost" => ("runtime.maxDayCost", false),
        "answer" | "max_tokens" => {
            let text = "ask for the rest in parts: the next message goes on from here";
            return Some(text.to_owned());
        }
        _ => return None,
    };
    let next = match goes_on {
        true => "the next message goes on from here, with limits that begin anew",
        false => "until then every message ends here",
    };
    Some(format!("raise `{key}` in the configuration; {next}"))
}
