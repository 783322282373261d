use std::borrow::Cow;

use crate::openai_completions::dialect::CallIdRule;
use crate::wire::digest;

/// The id if the host accepts it, else a digest of it, so that a call and its result still match.
pub(super) fn render(rule: CallIdRule, id: &str) -> Cow<'_, str> {
    match rule {
        CallIdRule::Short if (1..=40).contains(&id.len()) => id.into(),
        CallIdRule::Short => format!("call_{}", digest(id, 32)).into(),
        CallIdRule::Nine if id.len() == 9 && id.bytes().all(|b| b.is_ascii_alphanumeric()) => {
            id.into()
        }
        CallIdRule::Nine => digest(id, 9).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{CallIdRule, render};

    #[test]
    fn accepted_ids_stay() {
        assert_eq!(render(CallIdRule::Short, "call_1"), "call_1");
        assert_eq!(render(CallIdRule::Nine, "a1B2c3D4e"), "a1B2c3D4e");
    }

    #[test]
    fn other_ids_are_replaced_consistently() {
        let long = "x".repeat(41);
        assert_eq!(render(CallIdRule::Short, &long).len(), 37);
        assert_eq!(
            render(CallIdRule::Nine, "call_1"),
            render(CallIdRule::Nine, "call_1")
        );
        assert_eq!(render(CallIdRule::Nine, "call_1").len(), 9);
        assert_ne!(
            render(CallIdRule::Nine, "call_1"),
            render(CallIdRule::Nine, "call_2")
        );
    }
}
