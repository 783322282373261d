use std::fmt;

use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// The first elements of a JSON array, and its length.
#[derive(Debug)]
pub struct ArrayPrefix<'a> {
    pub first: Vec<&'a RawValue>,
    pub len: usize,
}

impl<'a> ArrayPrefix<'a> {
    /// Parses the whole array and keeps the first `limit` elements, so that memory does not grow with
    /// the array.
    ///
    /// # Errors
    /// The text is not an array.
    pub fn parse(text: &'a str, limit: usize) -> Result<Self, serde_json::Error> {
        let mut json = serde_json::Deserializer::from_str(text);
        let array = json.deserialize_seq(FirstElements(limit))?;
        json.end()?;
        Ok(array)
    }
}

struct FirstElements(usize);

impl<'de> Visitor<'de> for FirstElements {
    type Value = ArrayPrefix<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<ArrayPrefix<'de>, A::Error> {
        let mut first = Vec::new();
        while first.len() < self.0 {
            let Some(element) = array.next_element()? else {
                break;
            };
            first.push(element);
        }
        let mut len = first.len();
        while array.next_element::<IgnoredAny>()?.is_some() {
            len += 1;
        }
        Ok(ArrayPrefix { first, len })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_elements_are_kept_and_all_are_counted() {
        for (text, limit, kept, len) in [
            ("[]", 2, vec![], 0),
            ("[1]", 2, vec!["1"], 1),
            ("[1, {\"a\":[2]}]", 2, vec!["1", "{\"a\":[2]}"], 2),
            ("[1,2,3,4]", 2, vec!["1", "2"], 4),
            ("[1]", 0, vec![], 1),
        ] {
            let array = ArrayPrefix::parse(text, limit).unwrap();
            let first: Vec<_> = array.first.iter().map(|element| element.get()).collect();
            assert_eq!((first, array.len), (kept, len), "{text}");
        }
        let long = format!("[0{}]", ",0".repeat(100_000));
        let array = ArrayPrefix::parse(&long, 3).unwrap();
        assert!(array.first.capacity() < 10 && array.len == 100_001);
    }

    #[test]
    fn the_rest_of_the_array_must_be_json() {
        for text in ["[1,2,", "[1,2,x]", "[1,2]]", "{}", "[1,2,]"] {
            assert!(ArrayPrefix::parse(text, 1).is_err(), "{text}");
        }
    }
}
