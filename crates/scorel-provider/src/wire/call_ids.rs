use std::collections::{HashMap, HashSet};

use super::digest;

/// Maps the tool-call ids of a conversation to ids that the API accepts, each used once.
///
/// Ids have to be rewritten because a conversation may have been held with other models: their ids
/// can be too long or have characters that this API rejects, and some hosts count from `call_0`
/// again in every reply, while the API wants ids unique in the request.
///
/// Deterministic, and the ids of a conversation stay the same when it grows: the prompt cache
/// depends on it.
#[derive(Debug)]
pub(crate) struct CallIds {
    accepts: fn(&str) -> bool,
    used: HashSet<String>,
    /// The id that was sent for the last call with each original id.
    current: HashMap<String, String>,
}

impl CallIds {
    /// `accepts` must accept `call_` followed by 32 hex digits.
    pub(crate) fn new(accepts: fn(&str) -> bool) -> Self {
        Self {
            accepts,
            used: HashSet::new(),
            current: HashMap::new(),
        }
    }

    /// The id to send for the next call.
    pub(crate) fn of_call(&mut self, id: &str) -> String {
        let mut sent = self.accepted(id);
        for round in 2.. {
            if self.used.insert(sent.clone()) {
                break;
            }
            sent = replaced(&format!("{id} {round}"));
        }
        self.current.insert(id.to_owned(), sent.clone());
        sent
    }

    /// The id to send with a result: results follow their call, so the last call with the id is
    /// the one.
    pub(crate) fn of_result(&self, id: &str) -> String {
        let current = self.current.get(id).cloned();
        current.unwrap_or_else(|| self.accepted(id))
    }

    fn accepted(&self, id: &str) -> String {
        if (self.accepts)(id) {
            id.to_owned()
        } else {
            replaced(id)
        }
    }
}

fn replaced(id: &str) -> String {
    format!("call_{}", digest(id, 32))
}

#[cfg(test)]
mod tests {
    use super::CallIds;

    fn ids() -> CallIds {
        CallIds::new(|id| (1..=64).contains(&id.len()))
    }

    #[test]
    fn accepted_ids_stay_and_others_are_replaced_consistently() {
        let mut ids = ids();
        assert_eq!(ids.of_call("resp_1:call_0"), "resp_1:call_0");
        for id in ["x".repeat(65), String::new()] {
            let sent = ids.of_call(&id);
            assert_eq!(sent.len(), 37);
            assert_eq!(ids.of_result(&id), sent);
            assert_eq!(self::ids().of_call(&id), sent);
        }
    }

    #[test]
    fn a_repeated_id_is_replaced_for_the_next_call() {
        let rounds = || {
            let mut ids = ids();
            let mut round = || {
                let call = ids.of_call("call_0");
                assert_eq!(ids.of_result("call_0"), call);
                call
            };
            [round(), round(), round()]
        };
        let [first, second, third] = rounds();
        assert_eq!(first, "call_0");
        assert_ne!(second, first);
        assert_ne!(third, second);
        assert_eq!(rounds(), [first, second, third]);
    }
}
