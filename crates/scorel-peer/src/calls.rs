use std::collections::HashMap;

/// The calls of this side that wait for their answers, without I/O. `P` is what each was made for.
///
/// Their number is the owner's to bound: one waits at the limit, another fails.
#[derive(Debug)]
pub struct Calls<P> {
    last_id: u64,
    open: HashMap<u64, P>,
}

impl<P> Default for Calls<P> {
    fn default() -> Self {
        Self {
            last_id: 0,
            open: HashMap::new(),
        }
    }
}

impl<P> Calls<P> {
    /// Opens a call and returns its id, which no earlier one had.
    pub fn open(&mut self, purpose: P) -> u64 {
        self.last_id += 1;
        self.open.insert(self.last_id, purpose);
        self.last_id
    }

    /// Ends a call; `None` if it is not open. An answer is taken once.
    pub fn end(&mut self, id: u64) -> Option<P> {
        self.open.remove(&id)
    }

    /// Forgets all open calls.
    pub fn clear(&mut self) {
        self.open.clear();
    }

    pub fn len(&self) -> usize {
        self.open.len()
    }

    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_ends_once_and_its_id_is_not_used_again() {
        let mut calls = Calls::default();
        let (a, b) = (calls.open("a"), calls.open("b"));
        assert_eq!((calls.end(a), calls.end(a)), (Some("a"), None));
        let c = calls.open("c");
        assert!(c != a && c != b);
        assert_eq!(calls.len(), 2);
        calls.clear();
        assert!(calls.is_empty() && calls.end(b).is_none());
    }
}
