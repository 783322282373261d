use crate::inline::{USER_INPUT, block, inline};

/// The field that says which node an input is for.
const FOR_NODE: &str = "- forNodeId:";

/// The part `USER_INPUT`: the words of a person, for a node of a run or for none.
pub fn user_input(text: &str, node: Option<&str>) -> String {
    let words = block(text);
    match node {
        Some(id) => format!("{USER_INPUT}\n{FOR_NODE} {}\n{words}", inline(id)),
        // Its words are not taken for the field.
        None if words.starts_with(FOR_NODE) => format!("{USER_INPUT}\n {words}"),
        None => format!("{USER_INPUT}\n{words}"),
    }
}
