use scorel_proto::{EventId, Usage};

use super::*;

fn model(id: &str) -> ModelInfo {
    ModelInfo {
        provider: "p".to_owned(),
        id: id.to_owned(),
        context_window: 100_000,
        max_output_tokens: 10_000,
        price: None,
    }
}

fn estimate(tokens: usize) -> TokenEstimate {
    TokenEstimate::of_text(&"漢".repeat(tokens * 5 / 6))
}

const FIXED: FixedParts = FixedParts {
    system: TokenEstimate::ZERO,
    tools: TokenEstimate::ZERO,
};

/// 600 tokens before the answer, 60 in it, 120 after it. The endpoint has counted 300 and 30.
fn window() -> WindowSizes {
    WindowSizes {
        tokens: estimate(780),
        measured: Some(MeasuredCall::new(
            (EventId::generate(), Seq::new(7).expect("small")),
            "p:m",
            Usage {
                input_tokens: 300,
                output_tokens: 30,
                ..Usage::default()
            },
            (estimate(600), estimate(660)),
        )),
    }
}

fn size(window: &WindowSizes, id: &str, known: Option<Calibration>, snapshot: u64) -> ContextSize {
    ContextSize::of(window, FIXED, &model(id), known, Seq::new(snapshot))
}

#[test]
fn what_the_endpoint_has_counted_is_not_estimated() {
    let size = size(&window(), "m", None, 1);
    assert_eq!(
        (size.tokens, size.counted),
        (300 + 30 + 60, Some(330)),
        "half of 120 follows"
    );
}

#[test]
fn another_model_or_prompt_is_estimated() {
    assert_eq!(size(&window(), "other", None, 1).tokens, 780);
    assert_eq!(
        size(&window(), "m", None, 8).tokens,
        780,
        "the prompt is newer than the answer"
    );
}

#[test]
fn what_was_learned_counts_after_an_edit() {
    let learned = size(&window(), "m", None, 1).calibration;
    let edited = WindowSizes {
        measured: None,
        ..window()
    };
    let after = size(&edited, "m", Some(learned.clone()), 1);
    assert_eq!((after.tokens, after.counted), (390, None));
    assert_eq!(size(&edited, "other", Some(learned), 1).tokens, 780);
}

#[test]
fn a_refused_request_was_larger_than_the_window() {
    let mut calibration = Calibration::new(&model("m"));
    calibration.overflowed(estimate(600), 900);
    assert_eq!(calibration.tokens(estimate(600)), 900);
    calibration.overflowed(estimate(600), 90_000);
    assert_eq!(
        calibration.tokens(estimate(600)),
        1_200,
        "a factor of two at most"
    );
}
