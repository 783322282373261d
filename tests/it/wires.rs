//! Conversations over every provider API, and switches between them, against an endpoint that
//! rejects what the real APIs reject.

mod moved;
mod outside_tools;

use scorel_client::Connection;
use scorel_proto::{
    Block, Content, PutBlob, PutBlobParams, SendMessage, SendMessageParams, SessionId,
};
use scorel_testkit::{DaemonUnderTest, ModelReply, StrictServer, WireApi};

use crate::transfer::PNG;
use crate::under_test::{SCORELD, Watch, message, new_session};

/// A session whose model is at the strict endpoint.
struct WireScene {
    daemon: DaemonUnderTest,
    client: Connection,
    session: SessionId,
    endpoint: StrictServer,
    /// Subscriptions get their own connection: one that is not read blocks the calls on its
    /// connection.
    watch: Watch,
    turns: usize,
}

impl WireScene {
    async fn over(api: WireApi) -> Self {
        let endpoint = StrictServer::start().await.unwrap();
        let path = std::env::var("PATH").unwrap();
        let daemon = DaemonUnderTest::new(SCORELD).with_variable("STRICT_KEY", "sk-strict");
        let mut daemon = daemon.with_variable("PATH", &path);
        configure(&daemon, api, &endpoint);
        daemon.write_project_file("notes.txt", "the answer is 42\n");
        daemon.spawn().await;
        let (client, session) = new_session(&daemon).await;
        let watching = crate::under_test::connect(&daemon.socket()).await;
        let watch = Watch::from_start(&watching, session).await;
        Self {
            daemon,
            client,
            session,
            endpoint,
            watch,
            turns: 0,
        }
    }

    /// Switches the API from the next turn on.
    fn switch_to(&self, api: WireApi) {
        configure(&self.daemon, api, &self.endpoint);
    }

    /// A turn with reasoning, two parallel calls, one further call and a final reply.
    async fn turn_with_tools(&mut self) {
        let turn = self.turns;
        let id = |place: usize| format!("call_{turn}_{place}");
        self.endpoint
            .reply(
                ModelReply::default()
                    .thinking("Where could it be?")
                    .text("I look around.")
                    .tool_call(&id(0), "Glob", r#"{"pattern":"*"}"#)
                    .tool_call(&id(1), "Read", r#"{"path":"notes.txt"}"#),
            )
            .reply(ModelReply::default().thinking("Is that all?").tool_call(
                &id(2),
                "Read",
                r#"{"path":"missing.txt"}"#,
            ))
            .reply(
                ModelReply::default()
                    .thinking("It is.")
                    .text("The answer is 42."),
            );
        self.turn("What is the answer?").await;
    }

    /// Runs a turn with the replies that are already scripted.
    async fn turn(&mut self, text: &str) {
        assert_eq!(self.turn_of(text.into()).await, "completed");
    }

    /// Runs a turn and returns its outcome.
    async fn turn_of(&mut self, content: Content) -> String {
        self.turns += 1;
        let params = SendMessageParams {
            content,
            ..message(self.session, "")
        };
        self.client.call::<SendMessage>(&params).await.unwrap();
        let seen = self.watch.until("turn_outcome").await;
        let rejections = self.endpoint.rejections();
        assert!(
            rejections.is_empty(),
            "{rejections:?}: {}",
            self.last_request()
        );
        let outcome = seen.last().unwrap();
        outcome["reason"].as_str().unwrap().to_owned()
    }

    fn last_request(&self) -> String {
        let requests = self.endpoint.server().requests();
        let newest = requests.last().map(|request| request.body.clone());
        String::from_utf8(newest.unwrap_or_default()).unwrap()
    }
}

/// Configuration of an endpoint that no built-in table knows.
const CUSTOM: &str = "type = \"custom\"\nprovider = \"strict\"\napi = \"API\"";

fn configure(daemon: &DaemonUnderTest, api: WireApi, endpoint: &StrictServer) {
    let address = endpoint.server().address();
    // DeepSeek's dialect, since DeepSeek requires reasoning to be passed back.
    let (source, id, path) = match api {
        WireApi::OpenAiCompletions => ("provider = \"deepseek\"", "deepseek-reasoner", "/v1"),
        WireApi::OpenAiResponses => (CUSTOM, "gpt-like", "/v1"),
        WireApi::AnthropicMessages => (CUSTOM, "claude-like", ""),
        WireApi::GoogleGenerativeAi => (CUSTOM, "gemini-3-like", ""),
    };
    let source = source.replace("API", api.name());
    daemon.configure(&format!(
        "[model]\n{source}\nid = \"{id}\"\nbaseUrl = \"http://{address}{path}\"\n\
         apiKeyEnv = \"STRICT_KEY\"\nthinkingLevel = \"medium\"\nmaxTokens = 8192\n",
    ));
}

/// A history made on one API is accepted by every other, and by the first when the session returns
/// to it.
#[tokio::test]
async fn a_session_goes_on_over_any_other_wire_and_back() {
    for first in WireApi::ALL {
        for second in WireApi::ALL {
            if first == second {
                continue;
            }
            let mut scene = WireScene::over(first).await;
            scene.turn_with_tools().await;
            scene.switch_to(second);
            scene.turn_with_tools().await;
            let request = scene.last_request();
            assert_eq!(
                request.matches("the answer is 42").count(),
                2,
                "{first:?} then {second:?}: both results are there: {request}"
            );
            scene.switch_to(first);
            scene.turn_with_tools().await;
        }
    }
}

#[tokio::test]
async fn a_conversation_with_tools_is_accepted_on_every_wire() {
    for api in WireApi::ALL {
        let mut scene = WireScene::over(api).await;
        scene.turn_with_tools().await;
        scene.turn_with_tools().await;
        assert_eq!(scene.endpoint.server().requests().len(), 6);
    }
}

/// Arguments that are not a JSON object, unknown tools, repeated call ids.
#[tokio::test]
async fn mistakes_of_a_model_are_returned_to_it_on_every_wire() {
    for api in WireApi::ALL {
        let mut scene = WireScene::over(api).await;
        scene
            .endpoint
            .reply(ModelReply::default().tool_call("call_1", "Read", "{\"path\":"))
            .reply(ModelReply::default().tool_call("call_1", "Teleport", "{}"))
            .reply(
                ModelReply::default()
                    .tool_call(
                        "call.with/odd:signs and a name that is far too long for any of the hosts",
                        "Glob",
                        r#"{"pattern":"*"}"#,
                    )
                    .tool_call("2", "Glob", r#"{"pattern":"*.nothing"}"#),
            )
            .reply(ModelReply::default().text("I give up."));
        scene.turn("Do your worst.").await;
        scene.endpoint.reply(ModelReply::default().text("Yes."));
        scene.turn("Are you still there?").await;
        assert_eq!(scene.endpoint.server().requests().len(), 5);
    }
}

/// Of a truncated reply only the text is sent back, neither its calls nor its reasoning.
#[tokio::test]
async fn a_conversation_goes_on_after_an_answer_that_was_cut_off_on_every_wire() {
    for api in WireApi::ALL {
        let mut scene = WireScene::over(api).await;
        let broken = ModelReply::default()
            .thinking("Hm.")
            .text("Half of it")
            .tool_call("call_1", "Read", r#"{"path":"notes.txt"}"#);
        scene.endpoint.reply(broken.cut_off());
        assert_eq!(scene.turn_of("Tell me.".into()).await, "error");
        scene.turn_with_tools().await;
        let request = scene.last_request();
        assert!(request.contains("Half of it"), "{request}");
        assert!(!request.contains("call_1\""), "{request}");
    }
}

#[tokio::test]
async fn pictures_are_shown_or_noted_on_every_wire() {
    for api in WireApi::ALL {
        let mut scene = WireScene::over(api).await;
        let picture = PutBlobParams {
            session_id: scene.session,
            data: PNG.to_owned(),
            command_id: None,
        };
        let stored = scene.client.call::<PutBlob>(&picture).await.unwrap();
        let image = Block::Image {
            media_type: "image/png".to_owned(),
            blob: stored.sha256,
        };
        scene.endpoint.reply(ModelReply::default().text("A dot."));
        let content = Content(vec![Block::text("What is it?"), image]);
        assert_eq!(scene.turn_of(content).await, "completed");
        let shown = match api {
            // DeepSeek's models take no images.
            WireApi::OpenAiCompletions => "[a picture that this model cannot see]",
            _ => PNG,
        };
        assert!(scene.last_request().contains(shown));
    }
}

/// What the daemon tells the model stands beside the user's message, where some APIs want roles to take
/// turns.
#[tokio::test]
async fn skills_and_changed_instructions_are_told_over_every_wire() {
    for api in WireApi::ALL {
        let mut scene = WireScene::over(api).await;
        let skill = scene.daemon.home().join("skills/commit");
        std::fs::create_dir_all(&skill).unwrap();
        let text = "---\nname: commit\ndescription: Commits a change\n---\nLook first.\n";
        std::fs::write(skill.join("SKILL.md"), text).unwrap();
        scene.turn_with_tools().await;
        let listed = scene.last_request();
        assert_eq!(listed.matches("- commit: Commits a change").count(), 1);
        scene.daemon.write_project_file("AGENTS.md", "Run make.\n");
        scene.endpoint.reply(ModelReply::default().tool_call(
            "load",
            "Skill",
            r#"{"name":"commit"}"#,
        ));
        scene.endpoint.reply(ModelReply::default().text("Done."));
        scene.turn("Commit it.").await;
        let told = scene.last_request();
        assert_eq!(
            told.matches("AGENTS.md is new:").count(),
            1,
            "{api:?}: {told}"
        );
        assert_eq!(told.matches("- commit: Commits a change").count(), 1);
        assert!(told.contains("Look first."), "{api:?}: {told}");
    }
}
