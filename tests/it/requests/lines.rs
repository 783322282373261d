use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// The fields whose elements have a line each.
const LISTS: [&str; 4] = ["tools", "messages", "input", "contents"];

/// A body of JSON, cut into lines: one for each field, and one for each tool and message. Joined they
/// are the body again.
pub(super) fn lines(body: &str) -> Vec<&str> {
    let mut cuts = vec![1];
    let fields: BTreeMap<String, &RawValue> = serde_json::from_str(body).unwrap();
    for (name, value) in &fields {
        cuts.push(end(body, value));
        if LISTS.contains(&name.as_str()) {
            cut_list(body, value, &mut cuts);
        }
    }
    cuts.push(body.len());
    cuts.sort_unstable();
    let begins = std::iter::once(0).chain(cuts.clone());
    let ranges = begins.zip(cuts).filter(|(begin, end)| begin < end);
    ranges.map(|(begin, end)| &body[begin..end]).collect()
}

fn cut_list(body: &str, list: &RawValue, cuts: &mut Vec<usize>) {
    cuts.push(place(body, list.get()) + 1);
    let elements: Vec<&RawValue> = serde_json::from_str(list.get()).unwrap();
    for element in elements {
        cuts.push(end(body, element));
        let fields: BTreeMap<String, &RawValue> = serde_json::from_str(element.get()).unwrap();
        // Where tools come in groups.
        if let Some(inner) = fields.get("functionDeclarations") {
            cut_list(body, inner, cuts);
        }
    }
}

fn end(body: &str, value: &RawValue) -> usize {
    place(body, value.get()) + value.get().len()
}

/// Where a part of a text begins in it.
fn place(text: &str, part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize
}

#[test]
fn lines_are_the_body_once_they_are_joined() {
    let body = r#"{"model":"m","messages":[{"role":"user"},{"a":[1,2]}],"tools":[],"stream":true}"#;
    let cut = lines(body);
    assert_eq!(
        cut,
        [
            "{",
            r#""model":"m""#,
            r#","messages":["#,
            r#"{"role":"user"}"#,
            r#",{"a":[1,2]}"#,
            "]",
            r#","tools":["#,
            "]",
            r#","stream":true"#,
            "}",
        ]
    );
    assert_eq!(cut.concat(), body);
}
