mod endpoints;
mod random;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use scorel_proto::{BlobHash, Block, Context, Message, Meta, RequestProof, TextPart, UserMessage};

use self::endpoints::{AnyEndpoint, CHOICES, request};
use self::random::picture;
use crate::blobs::BlobSource;

/// A change of a conversation, before it is rendered again.
#[derive(Debug, Clone)]
enum Step {
    Say(Vec<Message>),
    /// Back to what it was some steps before.
    Back(usize),
    SwitchModel(usize),
    OtherSystemPrompt,
    /// The body of the request is not given back: it is still being sent.
    StillSent,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => vec(random::message(), 1..4).prop_map(Step::Say),
        1 => (1..4_usize).prop_map(Step::Back),
        1 => (0..CHOICES).prop_map(Step::SwitchModel),
        1 => Just(Step::OtherSystemPrompt),
        1 => Just(Step::StillSent),
    ]
}

/// The seed is fixed: a failure is the same on every machine.
#[test]
fn a_request_that_goes_on_from_the_last_one_has_the_bytes_of_a_new_one() {
    let config = Config {
        cases: 1_000,
        failure_persistence: None,
        ..Config::default()
    };
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let steps = (0..CHOICES, vec(step(), 1..16));
    TestRunner::new_with_rng(config, random)
        .run(&steps, |(model, steps)| play(model, steps))
        .unwrap();
}

fn play(model: usize, steps: Vec<Step>) -> Result<(), TestCaseError> {
    let mut endpoint = AnyEndpoint::choose(model, None);
    let mut system = "Be brief.".to_owned();
    let mut context = Context::default();
    let mut before = Vec::new();
    let mut sent = Vec::new();
    for step in steps {
        match step {
            Step::Say(messages) => {
                before.push(context.clone());
                context.extend(messages);
            }
            Step::Back(steps) => {
                before.truncate(before.len().saturating_sub(steps - 1));
                context = before.pop().unwrap_or(context);
            }
            Step::SwitchModel(model) => endpoint = AnyEndpoint::choose(model, None),
            Step::OtherSystemPrompt => system.push('!'),
            Step::StillSent => sent.push(endpoint.render(&request(&system, context.clone()))),
        }
        let went_on = endpoint.render(&request(&system, context.clone()));
        let anew: Context = context.iter().cloned().collect();
        prop_assert_eq!(went_on, endpoint.render(&request(&system, anew)));
    }
    Ok(())
}

/// Counts how often pictures are read.
#[derive(Debug, Default)]
struct CountedReads(AtomicUsize);

impl BlobSource for CountedReads {
    fn read(&self, _blob: &BlobHash) -> std::io::Result<Vec<u8>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(b"png".to_vec())
    }
}

#[test]
fn what_was_rendered_is_not_rendered_again() {
    for model in 0..CHOICES {
        let reads = Arc::new(CountedReads::default());
        let endpoint = AnyEndpoint::choose(model, Some(reads.clone()));
        let mut context = Context::from(vec![picture()]);
        for turn in 0..20 {
            let _sent = endpoint.render(&request("", context.clone()));
            context.extend([
                random::answer("yes"),
                Message::user(format!("go on {turn}")),
            ]);
        }
        assert_eq!(reads.0.load(Ordering::Relaxed), 1, "{endpoint:?}");
    }
}

#[test]
fn the_next_body_takes_over_the_bytes_of_the_last_one() {
    for model in 0..CHOICES {
        let endpoint = AnyEndpoint::choose(model, None);
        let mut context = Context::from(vec![Message::user("x".repeat(1 << 20))]);
        // The second body has made room for some more messages.
        let places: Vec<*const u8> = (0..8)
            .map(|_| {
                context.extend([random::answer("yes"), Message::user("go on")]);
                let sent: Bytes = endpoint.render(&request("", context.clone()));
                sent.as_ptr()
            })
            .collect();
        let moves = places.windows(2).filter(|two| two[0] != two[1]).count();
        assert!(moves <= 1, "{endpoint:?}: {places:?}");
    }
}

#[test]
fn parts_of_texts_and_proofs_of_requests_are_not_sent() {
    let part = |name: Option<TextPart>| Block::Text {
        text: "NODE_BRIEF\n- currentNodeId: one".to_owned(),
        part: name,
        template_ref: name.map(|_| "node-brief".to_owned()),
        provider: None,
    };
    let messages = |name: Option<TextPart>| {
        let mut answer = random::answer("yes");
        if let Message::Assistant(answer) = &mut answer {
            answer.meta.request = name.map(|_| {
                Box::new(RequestProof {
                    request_sha256: "a".repeat(64),
                    tool_set_digest: "b".repeat(64).parse().expect("64 digits"),
                })
            });
        }
        let told = Message::User(UserMessage {
            content: vec![part(name), Block::text("go on")],
            meta: Meta::default(),
        });
        Context::from(vec![told.clone(), answer, told])
    };
    for model in 0..CHOICES {
        let endpoint = AnyEndpoint::choose(model, None);
        let of_run = endpoint.render(&request("", messages(Some(TextPart::NodeBrief))));
        let plain = endpoint.render(&request("", messages(None)));
        assert_eq!(of_run, plain, "{endpoint:?}");
    }
}
