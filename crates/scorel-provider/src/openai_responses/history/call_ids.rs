use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::wire::digest;

/// The longest id of a call that the wire takes, in bytes.
const LONGEST: usize = 64;

/// The ids of a conversation's calls as they are sent: short enough, and each for one call only.
/// Some models count their calls from the beginning again in every answer.
#[derive(Debug, Default)]
pub(super) struct CallIds {
    used: HashSet<String>,
    /// What the last call of an id is sent as, where that differs.
    renamed: HashMap<String, String>,
}

impl CallIds {
    /// The id for a call, the same every time the conversation is rendered.
    pub(super) fn of_call(&mut self, id: &str) -> String {
        let accepted = accepted(id);
        let mut sent = accepted.clone().into_owned();
        let mut round = 1;
        while !self.used.insert(sent.clone()) {
            round += 1;
            sent = format!("call_{}", digest(&format!("{id}\n{round}"), 32));
        }
        if sent == accepted {
            self.renamed.remove(id);
        } else {
            self.renamed.insert(id.to_owned(), sent.clone());
        }
        sent
    }

    /// The id for the result of the last call with that id.
    pub(super) fn of_result<'a>(&'a self, id: &'a str) -> Cow<'a, str> {
        match self.renamed.get(id) {
            Some(sent) => sent.into(),
            None => accepted(id),
        }
    }
}

fn accepted(id: &str) -> Cow<'_, str> {
    if (1..=LONGEST).contains(&id.len()) {
        id.into()
    } else {
        format!("call_{}", digest(id, 32)).into()
    }
}

#[cfg(test)]
mod tests {
    use super::CallIds;

    #[test]
    fn accepted_ids_stay_and_others_become_short() {
        let mut ids = CallIds::default();
        assert_eq!(ids.of_call("resp_1:call_0"), "resp_1:call_0");
        let long = "x".repeat(65);
        let sent = ids.of_call(&long);
        assert_eq!(sent.len(), 37);
        assert_eq!(ids.of_result(&long), sent);
        assert_eq!(ids.of_call("").len(), 37);
    }

    #[test]
    fn an_id_that_was_used_before_is_another_for_the_next_call() {
        let rounds = || {
            let mut ids = CallIds::default();
            let round = |ids: &mut CallIds| {
                let call = ids.of_call("call_0");
                assert_eq!(ids.of_result("call_0"), call);
                call
            };
            [round(&mut ids), round(&mut ids), round(&mut ids)]
        };
        let [first, second, third] = rounds();
        assert_eq!(first, "call_0");
        assert_ne!(second, first);
        assert_ne!(third, second);
        assert_eq!(rounds(), [first, second, third]);
    }
}
