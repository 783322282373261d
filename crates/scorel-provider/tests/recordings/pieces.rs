//! A recorded stream gives the same events, however its body is cut.

use bytes::Bytes;
use futures_util::{StreamExt, stream};

use crate::fixture;
use crate::http::BodyError;
use crate::private::sse::{SseEvent, events};

/// Recorded streams up to this size are cut at every place, longer ones at so many. With `SCOREL_LONG` set both are larger.
fn limits() -> (usize, usize) {
    match std::env::var_os("SCOREL_LONG") {
        Some(_) => (16 << 10, 2_000),
        None => (2 << 10, 500),
    }
}

pub(crate) async fn openai_completions_in_pieces_of_any_size_give_the_same_events() {
    pieces_of_any_size("openai-completions").await;
}

pub(crate) async fn openai_responses_in_pieces_of_any_size_give_the_same_events() {
    pieces_of_any_size("openai-responses").await;
}

pub(crate) async fn anthropic_messages_in_pieces_of_any_size_give_the_same_events() {
    pieces_of_any_size("anthropic-messages").await;
}

pub(crate) async fn google_generative_ai_in_pieces_of_any_size_gives_the_same_events() {
    pieces_of_any_size("google-generative-ai").await;
}

async fn pieces_of_any_size(api: &str) {
    for case in fixture::load(api, "sse") {
        assert_eq!(case.sidecar("bytes"), case.body.len(), "{}", case.name);
        let whole = read(vec![case.body.clone()]).await;
        let bytes = case.body.iter().map(|byte| vec![*byte]).collect();
        assert!(read(bytes).await == whole, "{}: bytes", case.name);
        let (limit, splits) = limits();
        let length = case.body.len();
        let step = if length <= limit {
            1
        } else {
            length.div_ceil(splits)
        };
        for split in (1..case.body.len()).step_by(step) {
            let (one, two) = case.body.split_at(split);
            let pieces = vec![one.to_vec(), two.to_vec()];
            assert!(read(pieces).await == whole, "{}: {split}", case.name);
        }
    }
}

/// Reads the pieces as one body.
async fn read(pieces: Vec<Vec<u8>>) -> Vec<Result<SseEvent, BodyError>> {
    let pieces = pieces.into_iter().map(|piece| Ok(Bytes::from(piece)));
    events(stream::iter(pieces)).collect().await
}
