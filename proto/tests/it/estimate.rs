//! The estimate of tokens against published vocabularies.

use scorel_proto::TokenEstimate;
use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};

/// Kinds of text that conversations consist of. The code is this project's own.
const SAMPLES: [(&str, &str); 6] = [
    ("English", include_str!("estimate/english.txt")),
    ("Chinese", include_str!("estimate/chinese.txt")),
    ("Japanese", include_str!("estimate/japanese.txt")),
    ("Korean", include_str!("estimate/korean.txt")),
    ("Rust", include_str!("../../src/view/tree.rs")),
    ("manual", include_str!("../../../docs/protocol.md")),
];

fn vocabularies() -> [(&'static str, &'static CoreBPE); 2] {
    [
        ("cl100k_base", cl100k_base_singleton()),
        ("o200k_base", o200k_base_singleton()),
    ]
}

fn counted(vocabulary: &CoreBPE, text: &str) -> f64 {
    vocabulary.encode_ordinary(text).len() as f64
}

fn estimated(text: &str) -> f64 {
    TokenEstimate::of_text(text).tokens() as f64
}

#[test]
fn an_estimate_is_at_most_a_tenth_too_low() {
    for (vocabulary, tokens) in vocabularies() {
        for (kind, text) in SAMPLES {
            let ratio = estimated(text) / counted(tokens, text);
            println!("{vocabulary} {kind}: {ratio:.2}");
            assert!(ratio >= 0.9, "{kind} in {vocabulary}: {ratio:.2}");
            // Too high by more than that, and conversations are summarised at half of the window.
            assert!(ratio <= 2.0, "{kind} in {vocabulary}: {ratio:.2}");
        }
    }
}

/// The first half of a text is a request whose size an endpoint has reported, the whole is the next
/// request.
#[test]
fn after_one_call_an_estimate_is_within_15_percent() {
    for (vocabulary, tokens) in vocabularies() {
        for (kind, text) in SAMPLES {
            let half = (0..=text.len() / 2)
                .rev()
                .find(|at| text.is_char_boundary(*at));
            let (sent, new) = text.split_at(half.expect("a text has a beginning"));
            let reported = counted(tokens, sent);
            let factor = (reported / estimated(sent)).clamp(0.5, 2.0);
            let size = reported + estimated(new) * factor;
            let ratio = size / counted(tokens, text);
            println!("{vocabulary} {kind}: {ratio:.2}");
            assert!(
                (ratio - 1.0).abs() <= 0.15,
                "{kind} in {vocabulary}: {ratio:.2}"
            );
        }
    }
}
