use crate::SetupError;

/// The longest id, in bytes.
pub(crate) const MAX_ID: usize = 256;

/// Checks the id of a model, or a name such as `provider:id`. A project's configuration may hold it,
/// and on some wires it is part of the address, where it must not lead to another path.
///
/// # Errors
/// [`SetupError::InvalidModelId`].
pub fn check_model_id(id: &str) -> Result<(), SetupError> {
    // Servers take `..;x` and a decoded `%2e%2e` for the directory above too.
    let mut segments = id.split(['/', '\\', ':']);
    let reason = if id.len() > MAX_ID {
        "it is too long"
    } else if id.contains(char::is_control) {
        "it has control characters"
    } else if id.contains(char::is_whitespace) {
        "it has blanks"
    } else if id.contains('%') {
        "it has a `%`"
    } else if segments.any(|segment| segment.starts_with("..")) {
        "a part of it begins with `..`"
    } else {
        return Ok(());
    };
    Err(SetupError::InvalidModelId {
        id: id.chars().take(MAX_ID).collect(),
        reason,
    })
}

#[cfg(test)]
mod tests {
    use super::check_model_id;

    #[test]
    fn ids_of_all_providers_are_taken() {
        for id in [
            "",
            "gpt-5",
            "anthropic/claude-x",
            "openrouter:anthropic/claude-x:free",
            "models/gemini-3",
            "publishers/google/models/gemini-3@001",
            "ft:gpt-4o:acme::1",
            "@cf/meta/llama-3.1-8b-instruct",
            "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-x-v1:0",
            "accounts/fireworks/models/qwen3",
            "/models/qwen.gguf",
            "./models/qwen..v2.gguf",
            "C:\\models\\qwen.gguf",
            "qwen2.5-7b-instruct@q4_k_m",
            "~latest",
            "opus[1m]",
            "模型",
        ] {
            assert_eq!(check_model_id(id), Ok(()), "{id}");
        }
    }

    #[test]
    fn an_id_that_leads_elsewhere_is_refused() {
        for id in [
            "..",
            "../x",
            "../../../tenant-b/v1beta/models/x",
            "a/../b",
            "a/..",
            "a/..;/b",
            "a\\..\\b",
            "gemini:../x",
            "models/../../x",
            "%2e%2e/x",
            "a%2fb",
            "a%00",
            "a b",
            " a",
            "a\t",
            "a\nb",
            "a\r\nX-Header: y",
            "a\u{0}",
            "a\u{7f}",
            "a\u{85}",
            "a\u{a0}b",
            "a\u{3000}b",
            "a\u{1b}[2J",
            &"a".repeat(257),
        ] {
            assert!(check_model_id(id).is_err(), "{id:?}");
        }
    }
}
