use serde_json::value::RawValue;

/// In bytes. Ids are kept while their calls are in flight.
const MAX_TEXT: usize = 256;

/// The largest integer that a double represents exactly, with all below it.
const MAX_INTEGER: u64 = (1 << 53) - 1;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestId {
    /// For comparing ids.
    pub key: IdKey,
    /// As received, for the reply.
    pub json: Box<str>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum IdKey {
    /// Not unique: any number of calls may have it.
    Null,
    Integer(i64),
    Text(Box<str>),
}

impl RequestId {
    /// The id of a reply to a request without a valid id.
    pub fn null() -> Self {
        Self {
            key: IdKey::Null,
            json: "null".into(),
        }
    }

    /// A string of at most 256 bytes, an integer within ±(2^53 − 1), or null. Nothing else, since a
    /// client that parses `1.0` or `-0` would not match it with what it sent.
    pub fn parse(value: &RawValue) -> Option<Self> {
        let json = value.get();
        let key = match json.as_bytes() {
            b"null" => IdKey::Null,
            [b'"', ..] => serde_json::from_str::<Box<str>>(json)
                .ok()
                .filter(|text| text.len() <= MAX_TEXT)
                .map(IdKey::Text)?,
            _ => json
                .parse::<i64>()
                .ok()
                .filter(|id| id.unsigned_abs() <= MAX_INTEGER && json != "-0")
                .map(IdKey::Integer)?,
        };
        let json = json.into();
        Some(Self { key, json })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str) -> Option<RequestId> {
        RequestId::parse(&RawValue::from_string(json.into()).unwrap())
    }

    #[test]
    fn ids_are_short_strings_safe_integers_and_null() {
        let text = format!("\"{}\"", "x".repeat(256));
        for good in [
            "null",
            "0",
            "-7",
            "9007199254740991",
            "-9007199254740991",
            "\"\"",
            &text,
        ] {
            assert_eq!(&*parse(good).unwrap().json, good);
        }
        let long = format!("\"{}\"", "x".repeat(257));
        let bad = [
            "{}",
            "[]",
            "true",
            "1.5",
            "1.0",
            "1e3",
            "-0",
            "9007199254740992",
        ];
        for bad in bad
            .into_iter()
            .chain(["18446744073709551616", "-9007199254740992", &long])
        {
            assert!(parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn ids_are_compared_after_unescaping() {
        assert_eq!(
            parse(r#""a""#).unwrap().key,
            parse(r#""\u0061""#).unwrap().key
        );
        assert_ne!(parse(r#""1""#).unwrap().key, parse("1").unwrap().key);
    }
}
