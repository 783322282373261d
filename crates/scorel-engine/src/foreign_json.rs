use serde::de::{DeserializeOwned, Error as _};

/// The most values in a text of foreign JSON. Those of a model's replies have thousands at most.
pub const MAX_FOREIGN_VALUES: usize = 1 << 16;

/// The deepest nesting of foreign JSON, that of the protocol. A record is a few levels deeper than what it
/// holds, and no reader of the log takes more than 127.
pub const MAX_FOREIGN_NESTING: usize = 64;

/// Parses JSON that a model, an endpoint or a foreign program wrote. As a tree, the two bytes `0,` take
/// 40 times as much memory, so a text of many values is refused before it is parsed.
///
/// # Errors
/// The text is not valid, has more than [`MAX_FOREIGN_VALUES`] values, or nests deeper than
/// [`MAX_FOREIGN_NESTING`].
pub fn foreign_json<T: DeserializeOwned>(text: &[u8]) -> serde_json::Result<T> {
    check_shape(text).map_err(serde_json::Error::custom)?;
    serde_json::from_slice(text)
}

/// Counts the values of a text, give or take those that are empty, and how deep they are.
fn check_shape(text: &[u8]) -> Result<(), String> {
    let (mut values, mut depth) = (0, 0_usize);
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b',' => values += 1,
            b'[' | b'{' => (values, depth) = (values + 1, depth + 1),
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' => {
                while bytes.next().is_some_and(|byte| match byte {
                    b'\\' => bytes.next().is_some(),
                    byte => *byte != b'"',
                }) {}
            }
            _ => {}
        }
        if values > MAX_FOREIGN_VALUES {
            return Err(format!("more than {MAX_FOREIGN_VALUES} values"));
        }
        if depth > MAX_FOREIGN_NESTING {
            return Err(format!("nesting of more than {MAX_FOREIGN_NESTING} levels"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{MAX_FOREIGN_NESTING, MAX_FOREIGN_VALUES, foreign_json};

    #[test]
    fn a_text_of_many_values_is_refused() {
        let many = MAX_FOREIGN_VALUES + 1;
        for text in [
            format!("[{}0]", "0,".repeat(many)),
            format!("[{}0]", "[],".repeat(many)),
            format!("[{}{{}}]", "{},".repeat(many)),
            format!("[{}0]", "\"\",".repeat(many)),
            format!("[{}0]", "\"\\\\\",".repeat(many)),
            format!("[{}0]", "\"\\\"\",".repeat(many)),
            format!("{{{}\"z\":0}}", "\"a\":0,".repeat(many)),
            format!("{{\"a\":[{}0]}}", "{\"a\":[0]},".repeat(many / 3 + 1)),
        ] {
            let error = foreign_json::<Value>(text.as_bytes()).expect_err(&text[..20]);
            assert!(
                error.to_string().contains("more than 65536 values"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_text_that_nests_deeper_than_the_protocol_is_refused() {
        let nested = |depth: usize| {
            [
                "[".repeat(depth) + &"]".repeat(depth),
                "{\"a\":".repeat(depth) + "0" + &"}".repeat(depth),
                format!(
                    "[[],[],\"[[\\\"[[\",{}0{}]",
                    "[".repeat(depth - 1),
                    "]".repeat(depth - 1)
                ),
            ]
        };
        for text in nested(MAX_FOREIGN_NESTING) {
            foreign_json::<Value>(text.as_bytes()).expect(&text);
        }
        for text in nested(MAX_FOREIGN_NESTING + 1) {
            let error = foreign_json::<Value>(text.as_bytes()).expect_err(&text);
            assert!(error.to_string().contains("nesting"), "{error}");
        }
    }

    #[test]
    fn long_texts_are_not_many_values() {
        let commas = ",[{".repeat(MAX_FOREIGN_VALUES);
        let text = format!(r#"{{"a":"{commas}","b":"\\\"{commas}","c":[1,2]}}"#);
        let value: Value = foreign_json(text.as_bytes()).unwrap();
        assert_eq!(value["a"], commas);
        assert_eq!(value["b"], format!("\\\"{commas}"));
        assert!(foreign_json::<Value>(format!("\"{commas}").as_bytes()).is_err());
        assert!(foreign_json::<Value>(format!("\"{commas}\\").as_bytes()).is_err());
        let most = format!("[{}0]", "0,".repeat(MAX_FOREIGN_VALUES - 1));
        assert!(foreign_json::<Value>(most.as_bytes()).is_ok());
    }
}
