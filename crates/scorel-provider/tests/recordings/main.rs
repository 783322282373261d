//! What real endpoints answered. The recordings are not part of the repository; where they are not,
//! these tests count as ignored in the summary.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "these are tests, though without the usual harness"
)]

#[path = "../it/collected.rs"]
#[expect(dead_code, reason = "the other suite uses more of it")]
mod collected;
mod cut;
mod estimates;
mod fixture;
#[path = "../it/gemini_turn.rs"]
mod gemini_turn;
mod http;
mod passback;
mod pieces;
#[path = "../it/played.rs"]
mod played;
#[path = "../it/rebuilt.rs"]
mod rebuilt;
mod recorded;
#[path = "../it/replies.rs"]
mod replies;
mod requests;
mod usable;

/// The decoder of events, which is private to the crate.
#[path = "../../src"]
#[expect(
    dead_code,
    unused_imports,
    reason = "its own tests run with those of the crate"
)]
mod private {
    pub(crate) mod sse;
}

use std::process::ExitCode;

use libtest_mimic::Trial;
use scorel_testkit::trial_arguments;

/// A trial named after a function.
macro_rules! trial {
    ($($test:ident)::+) => {
        trial(stringify!($($test)::+), $($test)::+)
    };
}

fn main() -> ExitCode {
    let here = fixture::are_here();
    if !here {
        println!(
            "skipped: no recordings in {}",
            fixture::directory().display()
        );
    }
    let mut trials: Vec<Trial> = trials()
        .into_iter()
        .map(|trial| trial.with_ignored_flag(!here))
        .collect();
    trials.push(Trial::test("nothing_waits_for_the_usual_harness", || {
        let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recordings");
        nothing_waits_for_the_usual_harness(dir.as_ref());
        Ok(())
    }));
    libtest_mimic::run(&trial_arguments(), trials).exit_code()
}

fn trials() -> Vec<Trial> {
    vec![
        trial!(cut::streams_of_openai_completions_are_never_done_early),
        trial!(cut::streams_of_openai_responses_are_never_done_early),
        trial!(cut::streams_of_anthropic_messages_are_never_done_early),
        trial!(cut::streams_of_google_generative_ai_are_never_done_early),
        trial!(estimates::a_recorded_request_is_at_most_a_tenth_larger_than_its_estimate),
        trial!(estimates::what_endpoints_add_to_a_request_is_little),
        trial!(estimates::after_one_recorded_call_the_next_is_within_15_percent),
        trial!(passback::anthropic_messages::every_recorded_answer_goes_back_as_it_came),
        trial!(passback::anthropic_messages::the_engine_sends_a_paused_answer_back_and_goes_on),
        trial!(passback::google_generative_ai::recorded_answers_go_back_as_they_came),
        trial!(passback::openai_completions::reasoning_goes_back_to_the_model_in_the_field_that_it_came_in),
        trial!(passback::openai_completions::reasoning_never_goes_to_another_model),
        trial!(passback::openai_responses::every_recorded_answer_goes_back_as_it_came),
        trial!(pieces::openai_completions_in_pieces_of_any_size_give_the_same_events),
        trial!(pieces::openai_responses_in_pieces_of_any_size_give_the_same_events),
        trial!(pieces::anthropic_messages_in_pieces_of_any_size_give_the_same_events),
        trial!(pieces::google_generative_ai_in_pieces_of_any_size_gives_the_same_events),
        trial!(recorded::streams_of_openai_completions_give_their_expected_results),
        trial!(recorded::failures_of_openai_completions_are_classified),
        trial!(recorded::streams_of_openai_responses_give_their_expected_results),
        trial!(recorded::failures_of_openai_responses_are_classified),
        trial!(recorded::streams_of_google_generative_ai_give_their_expected_results),
        trial!(recorded::failures_of_google_generative_ai_are_classified),
        trial!(recorded::streams_of_anthropic_messages_give_their_expected_results),
        trial!(recorded::failures_of_anthropic_messages_are_classified),
        trial!(requests::anthropic_messages::requests_of_anthropic_messages_are_rendered_as_they_were_recorded),
        trial!(requests::google_generative_ai::requests_of_google_generative_ai_are_rendered_as_they_were_recorded),
        trial!(requests::openai_completions::requests_of_openai_completions_are_rendered_as_they_were_recorded),
        trial!(requests::openai_responses::requests_of_openai_responses_are_rendered_as_they_were_recorded),
        trial!(usable::after_every_recorded_answer_every_api_accepts_the_next_request),
    ]
}

fn trial<F>(name: &str, test: impl FnOnce() -> F + Send + 'static) -> Trial
where
    F: Future<Output = ()>,
{
    // A long path is written with white space in it.
    let name: String = name.split_whitespace().collect();
    Trial::test(name, move || {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_all().build()?.block_on(test());
        Ok(())
    })
}

/// Without the usual harness a function with its attribute would silently not run.
fn nothing_waits_for_the_usual_harness(dir: &std::path::Path) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            nothing_waits_for_the_usual_harness(&path);
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let mut lines = text.lines().map(str::trim);
        let waits = lines.any(|line| line.starts_with("#[") && line.contains("test]"));
        assert!(!waits, "{}: list its tests in main.rs", path.display());
    }
}
