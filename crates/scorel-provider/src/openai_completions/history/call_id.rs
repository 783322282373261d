use std::borrow::Cow;

use crate::dialect::CallIds;
use crate::wire::digest;

/// The id as the host accepts it: as it is, or a digest of it, the same every time.
pub(super) fn render(rule: CallIds, id: &str) -> Cow<'_, str> {
    match rule {
        CallIds::Short if (1..=40).contains(&id.len()) => id.into(),
        CallIds::Short => format!("call_{}", digest(id, 32)).into(),
        CallIds::Nine if id.len() == 9 && id.bytes().all(|b| b.is_ascii_alphanumeric()) => {
            id.into()
        }
        CallIds::Nine => digest(id, 9).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{CallIds, render};

    #[test]
    fn accepted_ids_stay() {
        assert_eq!(render(CallIds::Short, "call_1"), "call_1");
        assert_eq!(render(CallIds::Nine, "a1B2c3D4e"), "a1B2c3D4e");
    }

    #[test]
    fn other_ids_are_replaced_always_by_the_same() {
        let long = "x".repeat(41);
        assert_eq!(render(CallIds::Short, &long).len(), 37);
        assert_eq!(
            render(CallIds::Nine, "call_1"),
            render(CallIds::Nine, "call_1")
        );
        assert_eq!(render(CallIds::Nine, "call_1").len(), 9);
        assert_ne!(
            render(CallIds::Nine, "call_1"),
            render(CallIds::Nine, "call_2")
        );
    }
}
