//! The columns of a model.

use scorel_proto::{Model, ModelPrice, ThinkingLevel};

use crate::wire_name::wire_name;
use scorel_screen::escape::one_line;

/// An estimate begins with `~`.
pub(super) fn price(price: &ModelPrice) -> String {
    let about = if price.estimated { "~" } else { "" };
    format!(
        "{about}{} / {}",
        dollars(price.input),
        dollars(price.output)
    )
}

/// At least two decimals, and as many as a small price needs.
fn dollars(amount: f64) -> String {
    let exact = format!("{amount:.4}");
    let short = exact.trim_end_matches('0');
    let decimals = short.split_once('.').map_or(0, |(_, digits)| digits.len());
    format!("${amount:.0$}", decimals.max(2))
}

/// The abilities of the model, and remarks on the row.
pub(super) fn notes(model: &Model) -> String {
    let mut all = Vec::new();
    if model.reasoning != Some(false) && !model.thinking_levels.is_empty() {
        all.push(format!("think {}", range(&model.thinking_levels)));
    } else if model.reasoning == Some(true) {
        all.push("think".to_owned());
    }
    if model.images == Some(true) {
        all.push("see".to_owned());
    }
    if model.unverified {
        all.push("unverified".to_owned());
    }
    if let Some(day) = &model.retires_on {
        let successor = model.successor.as_deref();
        let then = successor.map_or_else(String::new, |id| format!(", then {id}"));
        all.push(one_line(&format!("until {day}{then}")));
    }
    all.join(", ")
}

fn range(levels: &[ThinkingLevel]) -> String {
    match levels {
        [] => String::new(),
        [only] => wire_name(only),
        [first, .., last] => format!("{}-{}", wire_name(first), wire_name(last)),
    }
}

#[cfg(test)]
mod tests {
    use super::dollars;

    #[test]
    fn prices_have_the_digits_that_they_need() {
        for (amount, expected) in [
            (3.0, "$3.00"),
            (0.25, "$0.25"),
            (0.075, "$0.075"),
            (0.0375, "$0.0375"),
            (75.0, "$75.00"),
        ] {
            assert_eq!(dollars(amount), expected);
        }
    }
}
