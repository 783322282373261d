//! Turns of many large results, on an endpoint that counts tokens and refuses what exceeds its window.

use scorel_engine::{ModelRequest, ToolSpec};
use scorel_proto::{Message, SessionId, TokenEstimate, Usage};

use super::{asks_for_summary, outline};
use crate::follower::Follower;
use crate::rig::Rig;
use crate::stage::ModelCall;

/// A small model's.
pub(super) const WINDOW: u64 = 32_768;

/// What the endpoint counts for a token that is estimated: as much as an estimate may be too low.
const COUNTED: f64 = 1.1;

const SENTENCES: [(&str, &str); 3] = [
    (
        "English",
        "The tests of the parser pass, and the build has no warnings. ",
    ),
    ("Chinese", "解析器的测试全部通过，构建没有任何警告。"),
    (
        "Japanese",
        "パーサーのテストはすべて成功し、ビルドに警告はありません。",
    ),
];

/// The endpoint's count of a request. It refuses one larger than its window, which no test wants.
pub(super) fn counted(request: &ModelRequest) -> Usage {
    let messages = request.messages.iter().map(TokenEstimate::of_message);
    let all = TokenEstimate::of_text(&request.system)
        + request.tools.iter().map(ToolSpec::tokens).sum()
        + messages.sum();
    let input_tokens = (all.tokens() as f64 * COUNTED) as u64;
    assert!(input_tokens < WINDOW, "{input_tokens} tokens are refused");
    Usage {
        input_tokens,
        output_tokens: 50,
        ..Usage::default()
    }
}

/// The sentence as often as it takes to fill so many tokens.
pub(super) fn filled(sentence: &str, tokens: u64) -> String {
    let each = TokenEstimate::of_text(sentence);
    let (mut text, mut all) = (String::new(), TokenEstimate::default());
    while all.tokens() < tokens {
        text.push_str(sentence);
        all += each;
    }
    text
}

/// The next call that is not for a summary; summaries are `text`, and are counted.
pub(super) async fn next_call(rig: &Rig, text: &str, summaries: &mut u32) -> ModelCall {
    loop {
        let call = rig.model().await;
        let usage = counted(&call.request);
        if !asks_for_summary(&call) {
            return call;
        }
        *summaries += 1;
        call.answer_counted(text, usage).await;
    }
}

/// A turn that reads 20 results of 6,000 tokens. Returns how many summaries it took.
async fn read_all(
    (rig, id): (&Rig, SessionId),
    follower: &mut Follower,
    question: &str,
    sentence: &str,
) -> u32 {
    rig.begin(id, question).await;
    let summary = filled(sentence, 800);
    let mut summaries = 0;
    for step in 0..=20 {
        let call = next_call(rig, &summary, &mut summaries).await;
        let context = outline(&call.request.messages);
        assert!(context.iter().any(|word| word == question), "{context:?}");
        let usage = counted(&call.request);
        if step == 20 {
            call.answer_counted("done", usage).await;
            break;
        }
        let name = format!("c{step}");
        call.tools_counted(&[(&name, "look")], usage).await;
        rig.tool().await.end(&filled(sentence, 6_000));
    }
    assert_eq!(follower.outcome().await, "completed");
    summaries
}

#[tokio::test(start_paused = true)]
async fn twenty_large_results_fit_into_a_small_window_again_and_again() {
    for (language, sentence) in SENTENCES {
        let rig = Rig::new();
        rig.plan(|plan| plan.window = Some(WINDOW));
        let id = rig.session().await;
        let mut follower = rig.follow(id).await;
        let mut all = 0;
        for turn in 0..6 {
            let question = format!("question-{turn}");
            let summaries = read_all((&rig, id), &mut follower, &question, sentence).await;
            assert!((5..=20).contains(&summaries), "{language}: {summaries}");
            all += summaries as usize;
        }
        let log = rig.check(id).await;
        let compactions = log.all("compaction");
        assert_eq!(compactions.len(), all, "{language}: none failed");
        for compaction in compactions {
            assert_eq!(
                compaction["trigger"], "threshold",
                "{language}: {compaction}"
            );
        }
        let last = log.all("compact");
        let last = last.last().expect("one");
        assert!(last["tokensAfter"].as_u64() < last["tokensBefore"].as_u64());
    }
}

#[tokio::test(start_paused = true)]
async fn a_first_request_in_any_language_fits_before_anything_was_counted() {
    for (language, sentence) in SENTENCES {
        let rig = Rig::new();
        rig.plan(|plan| plan.window = Some(WINDOW));
        let id = rig.session().await;
        let mut follower = rig.follow(id).await;
        let mut summaries = 0;
        for _ in 0..8 {
            rig.begin(id, &filled(sentence, 6_000)).await;
            let call = next_call(&rig, &filled(sentence, 800), &mut summaries).await;
            let last = call.request.messages.last();
            assert!(matches!(last, Some(Message::User(_))), "{language}");
            counted(&call.request);
            call.answer_uncounted("yes").await;
            assert_eq!(follower.outcome().await, "completed", "{language}");
        }
        assert!(summaries >= 2, "{language}: {summaries}");
        rig.check(id).await;
    }
}
