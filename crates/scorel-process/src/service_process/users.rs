use std::any::Any;
use std::sync::{Mutex, PoisonError, Weak};

/// The loaded things that may use a process.
#[derive(Debug, Default)]
pub(super) struct Users(Mutex<Vec<Weak<dyn Any + Send + Sync>>>);

impl Users {
    /// Adds one, unless it is there. Those that are gone are forgotten.
    pub(super) fn add(&self, user: Weak<dyn Any + Send + Sync>) {
        let mut users = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        users.retain(|it| it.strong_count() > 0 && !Weak::ptr_eq(it, &user));
        users.push(user);
    }

    /// Returns whether one of them is still there.
    pub(super) fn is_any(&self) -> bool {
        let users = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        users.iter().any(|it| it.strong_count() > 0)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_user_counts_until_it_is_gone() {
        let users = Users::default();
        let (one, other) = (Arc::new(1), Arc::new(2));
        for _ in 0..2 {
            users.add(Arc::downgrade(&one) as _);
            users.add(Arc::downgrade(&other) as _);
        }
        assert_eq!(users.0.lock().unwrap().len(), 2);
        drop(one);
        assert!(users.is_any());
        drop(other);
        assert!(!users.is_any());
    }
}
