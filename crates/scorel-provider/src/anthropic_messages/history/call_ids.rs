use std::collections::{HashMap, HashSet};

use crate::wire::digest;

/// The ids of a conversation's calls as the wire accepts them: letters, digits, `_` and `-`, at
/// most 64 of them, and none twice. Other models, from which the conversation may come, count
/// anew in every answer.
///
/// The same conversation always gives the same ids, and so does a longer one for its beginning.
#[derive(Debug, Default)]
pub(super) struct CallIds {
    used: HashSet<String>,
    /// Under which id the last call of that name went.
    current: HashMap<String, String>,
}

impl CallIds {
    /// The id of the next call.
    pub(super) fn of_call(&mut self, id: &str) -> String {
        let mut rendered = accepted(id);
        for count in 2.. {
            if self.used.insert(rendered.clone()) {
                break;
            }
            rendered = replaced(&format!("{id} {count}"));
        }
        self.current.insert(id.to_owned(), rendered.clone());
        rendered
    }

    /// The id of the call that a result answers: the last one with that id.
    pub(super) fn of_result(&self, id: &str) -> String {
        let current = self.current.get(id).cloned();
        current.unwrap_or_else(|| accepted(id))
    }
}

/// The id, or a digest of it.
fn accepted(id: &str) -> String {
    let letters = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if (1..=64).contains(&id.len()) && id.bytes().all(letters) {
        id.to_owned()
    } else {
        replaced(id)
    }
}

fn replaced(id: &str) -> String {
    format!("call_{}", digest(id, 32))
}

#[cfg(test)]
mod tests {
    use super::CallIds;

    #[test]
    fn accepted_ids_stay_and_others_are_replaced_always_by_the_same() {
        let mut ids = CallIds::default();
        assert_eq!(ids.of_call("toolu_01-A"), "toolu_01-A");
        let long = "x".repeat(65);
        for id in ["functions.Read:0", "", &long] {
            let rendered = ids.of_call(id);
            assert_eq!(rendered.len(), 37, "{id}");
            assert_eq!(ids.of_result(id), rendered);
            assert_eq!(CallIds::default().of_call(id), rendered);
        }
    }

    #[test]
    fn a_repeated_id_gets_another_for_its_call_and_its_result() {
        let mut ids = CallIds::default();
        let first = ids.of_call("call_0");
        assert_eq!(ids.of_result("call_0"), first);
        let second = ids.of_call("call_0");
        assert_ne!(first, second);
        assert_eq!(ids.of_result("call_0"), second);
        assert_ne!(ids.of_call("call_0"), second);
    }
}
