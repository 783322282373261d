use std::fmt;

use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// The first elements of a JSON array.
#[derive(Debug)]
pub(crate) struct Array<'a> {
    /// At most as many elements as were asked for.
    pub(crate) first: Vec<&'a RawValue>,
    /// How many elements there are.
    pub(crate) len: usize,
}

impl<'a> Array<'a> {
    /// Reads an array to its end and keeps up to `limit` elements, so that what it takes does not
    /// grow with the array.
    pub(crate) fn parse(text: &'a str, limit: usize) -> Result<Self, serde_json::Error> {
        let mut json = serde_json::Deserializer::from_str(text);
        let array = json.deserialize_seq(FirstElements(limit))?;
        json.end()?;
        Ok(array)
    }
}

struct FirstElements(usize);

impl<'de> Visitor<'de> for FirstElements {
    type Value = Array<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Array<'de>, A::Error> {
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
        Ok(Array { first, len })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_elements_are_kept_and_all_are_counted() {
        for (text, limit, kept, len) in [
            ("[]", 2, vec![], 0),
            ("[1]", 2, vec!["1"], 1),
            ("[1, {\"a\":[2]}]", 2, vec!["1", "{\"a\":[2]}"], 2),
            ("[1,2,3,4]", 2, vec!["1", "2"], 4),
            ("[1]", 0, vec![], 1),
        ] {
            let array = Array::parse(text, limit).unwrap();
            let first: Vec<_> = array.first.iter().map(|element| element.get()).collect();
            assert_eq!((first, array.len), (kept, len), "{text}");
        }
        let long = format!("[0{}]", ",0".repeat(100_000));
        let array = Array::parse(&long, 3).unwrap();
        assert!(array.first.capacity() < 10 && array.len == 100_001);
    }

    #[test]
    fn what_follows_the_first_elements_has_to_be_json_too() {
        for text in ["[1,2,", "[1,2,x]", "[1,2]]", "{}", "[1,2,]"] {
            assert!(Array::parse(text, 1).is_err(), "{text}");
        }
    }
}
