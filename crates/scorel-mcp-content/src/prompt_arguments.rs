use scorel_mcp_client::PromptArgument;
use serde_json::{Map, Value};

use crate::words::words;

/// The arguments of a prompt, as a person types them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PromptArguments<'a>(pub(crate) &'a [PromptArgument]);

impl PromptArguments<'_> {
    /// The arguments for people; `None` if there are none.
    pub(crate) fn hint(&self) -> Option<String> {
        let words = self.0.iter().map(|it| match it.required {
            true => format!("<{}>", it.name),
            false => format!("[{}]", it.name),
        });
        let words: Vec<String> = words.collect();
        (!words.is_empty()).then(|| words.join(" "))
    }

    /// The arguments that a typed text gives: the whole text to the only one, else a word each in their order, or
    /// `name=value`. The error is a sentence without its full stop.
    pub(crate) fn typed(&self, text: &str) -> Result<Map<String, Value>, String> {
        let mut given = Map::new();
        match self.0 {
            [only] if !text.trim().is_empty() => {
                let named = text.trim().strip_prefix(&only.name);
                let value = named.and_then(|it| it.strip_prefix('='));
                given.insert(only.name.clone(), value.unwrap_or(text.trim()).into());
            }
            _ => {
                for word in words(text) {
                    let (name, value) = self.place(&word, &given)?;
                    given.insert(name, value.into());
                }
            }
        }
        let is_missing = |it: &&PromptArgument| it.required && !given.contains_key(&it.name);
        match self.0.iter().find(is_missing) {
            Some(missing) => Err(format!("`{}` is missing", missing.name)),
            None => Ok(given),
        }
    }

    /// The argument that a word gives, with its value.
    fn place(&self, word: &str, given: &Map<String, Value>) -> Result<(String, String), String> {
        if let Some((name, value)) = word.split_once('=')
            && self.0.iter().any(|it| it.name == name)
        {
            return Ok((name.to_owned(), value.to_owned()));
        }
        let mut free = self.0.iter();
        match free.find(|it| !given.contains_key(&it.name)) {
            Some(next) => Ok((next.name.clone(), word.to_owned())),
            None => Err(match self.hint() {
                Some(hint) => format!("{word:?} is one argument too many; it takes {hint}"),
                None => "the prompt takes no arguments".to_owned(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn arguments(json: Value) -> Vec<PromptArgument> {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn words_are_the_arguments_in_their_order_or_by_name() {
        let review = arguments(json!([{"name": "file", "required": true}, {"name": "depth"}]));
        let review = PromptArguments(&review);
        assert_eq!(review.hint().as_deref(), Some("<file> [depth]"));
        let typed = |text: &str| review.typed(text).map(Value::from);
        let both = json!({"file": "a b", "depth": "2"});
        assert_eq!(typed("'a b' 2"), Ok(both.clone()));
        assert_eq!(typed("depth=2 \"a b\""), Ok(both));
        assert_eq!(typed("x=y"), Ok(json!({"file": "x=y"})));
        assert_eq!(typed(""), Err("`file` is missing".to_owned()));
        assert!(typed("a b c").unwrap_err().contains("too many"));
    }

    #[test]
    fn the_only_argument_is_the_whole_text() {
        let ask = arguments(json!([{"name": "question", "required": true}]));
        for text in ["what's it", "question=what's it"] {
            let given = PromptArguments(&ask).typed(text).map(Value::from);
            assert_eq!(given, Ok(json!({"question": "what's it"})));
        }
        let plain = PromptArguments(&[]);
        assert_eq!(plain.typed(" "), Ok(Map::new()));
        plain.typed("more").unwrap_err();
    }
}
