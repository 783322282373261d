//! What a request shares with the one before it, which an endpoint has in its cache: all of that one.
//! It ends at a trim, a compaction, a refresh of the instructions, and where the leaf has moved.

use scorel_proto::WhileRunning;
use scorel_testkit::{ModelReply, ResponseGate, WireApi};

use super::read_request::ReadRequest;
use super::scene::{Scene, reached, reads, says};

const SUMMARY: &str = "## Goal\nThe answer.";

/// Turns of the conversation.
const fn turns(api: WireApi) -> usize {
    match api {
        // The wire whose marks for the cache move.
        WireApi::AnthropicMessages => 200,
        _ => 70,
    }
}

/// Why a request may begin differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Refresh,
    Compaction,
    MovedLeaf,
    Trim,
}

/// A long conversation, with the requests that begin anew.
struct LongTalk {
    scene: Scene,
    expected: Vec<(usize, Change)>,
}

impl LongTalk {
    async fn over(api: WireApi) -> Self {
        let scene = Scene::over(api).await;
        scene.configure("contextWindow = 100000\n", "[compaction]\nkeepTokens = 0\n");
        scene.guide("Run `make test`.\n");
        scene.resumes().await;
        Self {
            scene,
            expected: Vec::new(),
        }
    }

    /// The request after the next `further` ones begins anew.
    fn expect(&mut self, further: usize, change: Change) {
        let count = self.scene.endpoint.server().requests().len();
        self.expected.push((count + further, change));
    }

    async fn turn(&mut self, number: usize) {
        match number % 70 {
            10 => {
                self.scene.guide(&format!("Run `make test-{number}`.\n"));
                let refresh = Some(true);
                self.scene
                    .update(|params| params.refresh_instructions = refresh)
                    .await;
                self.expect(0, Change::Refresh);
            }
            60 => {
                self.scene.reply(says(SUMMARY));
                self.scene.compact(None).await;
                self.expect(0, Change::Compaction);
            }
            30 | 50 => self.go_back().await,
            40 => self.trim().await,
            20 => self.compact_in_turn().await,
            _ if number.is_multiple_of(11) => self.scene.restart().await,
            _ => {}
        }
        match number {
            _ if number.is_multiple_of(13) => self.kill(number.is_multiple_of(2)).await,
            _ if number % 7 == 3 => self.steer(reads("call_1", "notes.txt")).await,
            _ if number % 7 == 5 => self.steer(says("An answer.")).await,
            _ => self.look(&number.to_string()).await,
        }
        let (endpoint, api) = (&self.scene.endpoint, self.scene.model.api.name());
        assert_eq!(endpoint.remaining(), 0, "{api}: turn {number}");
    }

    /// A turn with a call.
    async fn look(&mut self, text: &str) {
        let answer = says("42.").thinking("There it is.");
        self.scene.reply(reads("call_1", "notes.txt")).reply(answer);
        self.scene.begin(text).await;
        self.scene.completed().await;
    }

    /// A turn whose user speaks while the first reply comes.
    async fn steer(&mut self, first: ModelReply) {
        let gate = ResponseGate::default();
        self.scene.reply(first.stall(&gate)).reply(says("Then so."));
        self.scene.begin("Look.").await;
        reached(&gate).await;
        self.scene.queue("Use tabs.", WhileRunning::Steer).await;
        gate.open();
        self.scene.completed().await;
    }

    /// A turn whose daemon is killed in its second call, before or after the first text of the answer,
    /// and that goes on in the next one, which has a steer for it.
    async fn kill(&mut self, has_text: bool) {
        let gate = ResponseGate::default();
        let half = says("Half an ");
        self.scene.reply(reads("call_1", "notes.txt"));
        self.scene.reply(if has_text {
            half.stall(&gate)
        } else {
            half.hold(&gate)
        });
        self.scene.reply(says("answer."));
        self.scene.begin("Look.").await;
        reached(&gate).await;
        if has_text {
            self.scene.until("text_delta").await;
        }
        self.scene.queue("Be brief.", WhileRunning::Steer).await;
        self.scene.kill().await;
        self.scene.completed().await;
    }

    async fn go_back(&mut self) {
        let leaf = self.scene.leaf().await.unwrap();
        self.look("left behind").await;
        self.scene.rewind(leaf).await;
        self.expect(0, Change::MovedLeaf);
    }

    /// Two turns that read more than fits, so that old results are shortened in the second.
    async fn trim(&mut self) {
        self.scene.long_file("long.txt");
        let mut looks = ModelReply::default().thinking("Often.");
        for place in 0..6 {
            looks = looks.tool_call(&format!("call_{place}"), "Read", r#"{"path":"long.txt"}"#);
        }
        self.scene.reply(looks.usage(6_000, 100));
        self.scene.reply(says("Only x.").usage(74_000, 10));
        self.scene.begin("Read it.").await;
        self.scene.completed().await;
        self.expect(1, Change::Trim);
        self.scene
            .reply(reads("again", "long.txt").usage(74_100, 100));
        self.scene.reply(says("Still x.").usage(40_000, 10));
        self.scene.begin("Again.").await;
        self.scene.until("context_trim").await;
        self.scene.completed().await;
    }

    /// A turn that gets too long: the request for the summary goes on with its first one.
    async fn compact_in_turn(&mut self) {
        self.expect(2, Change::Compaction);
        let look = reads("call_1", "notes.txt").usage(90_000, 100);
        self.scene
            .reply(look)
            .reply(says(SUMMARY))
            .reply(says("42."));
        self.scene.begin("Once more.").await;
        self.scene.completed().await;
    }

    fn requests(&self) -> Vec<ReadRequest> {
        let requests = self.scene.endpoint.server().requests();
        requests.iter().map(ReadRequest::of).collect()
    }
}

/// Each request begins with all of the one before, also those for a summary, except where it may not.
fn check(talk: &LongTalk) {
    let api = talk.scene.model.api.name();
    assert_eq!(talk.scene.endpoint.rejections(), [""; 0], "{api}");
    let requests = talk.requests();
    let changed: Vec<usize> = (1..requests.len())
        .filter(|at| !requests[*at].continues(&requests[at - 1]))
        .collect();
    let expected: Vec<usize> = talk.expected.iter().map(|(at, _)| *at).collect();
    assert_eq!(changed, expected, "{api}: {:?}", talk.expected);
    let summaries = requests.iter().filter(|request| request.asks_for_summary());
    let made = |(_, change): &&(usize, Change)| *change == Change::Compaction;
    let made = talk.expected.iter().filter(made);
    assert_eq!(summaries.count(), made.count(), "{api}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_begins_with_all_of_the_one_before() {
    let talks = WireApi::ALL.map(|api| {
        tokio::spawn(async move {
            let mut talk = LongTalk::over(api).await;
            for number in 1..=turns(api) {
                talk.turn(number).await;
            }
            check(&talk);
        })
    });
    for talk in talks {
        talk.await.unwrap();
    }
}
