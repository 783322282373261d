use crate::line::{Line, Span};
use crate::wrap::{Margins, wrap_within};

/// Wrapped text with a sign of its style before the first row, and another before the others.
pub(crate) fn signed((first, rest): (&str, &str), spans: &[Span], columns: usize) -> Vec<Line> {
    let Some(span) = spans.first() else {
        return Vec::new();
    };
    let margin = |sign: &str| vec![Span::new(sign, span.style)];
    let margins = Margins {
        first: margin(first),
        rest: margin(rest),
    };
    wrap_within(spans, &margins, columns)
}
