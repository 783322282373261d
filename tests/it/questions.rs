//! Open questions of all sessions, for every client.

mod random_keys;

use futures_util::future::join_all;
use scorel_client::{ClientError, Connection, Subscription};
use scorel_proto::{
    Cancel, CancelParams, ClientId, DeleteSession, DeleteSessionParams, ErrorCode, HostEvent,
    ListQuestions, ListQuestionsParams, ListQuestionsResult, OpenQuestion, PermissionAnswer,
    PermissionConflict, PermissionDecision, PermissionRequestId, RespondPermission,
    RespondPermissionParams, RpcError, SeqResult, SessionId,
};
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat, ScriptedResponse};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::under_test::{PATIENCE, SCORELD, connect, create_session, scorelctl, send};

/// A daemon that asks about files below `asked/`. Its model writes as many of them as the message says,
/// `[NAME COUNT BYTES]`, and is done then.
async fn asking() -> (DaemonUnderTest, ModelServer) {
    let model = ModelServer::start().await.unwrap();
    model.answer_with(|request| write_next(&request.json()));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.configure_more("[permissions]\nask = [\"Write(asked/**)\"]\n");
    daemon.spawn().await;
    (daemon, model)
}

fn write_next(request: &Value) -> ScriptedResponse {
    let done = ScriptedChat::default().text("Done.").finish("stop").into();
    let text = request["messages"].to_string();
    let Some((_, rest)) = text
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once("[["))
    else {
        return done;
    };
    let words: Vec<&str> = rest.split("]]").next().unwrap().split(' ').collect();
    let (name, count, bytes) = (words[0], words[1], words[2]);
    let messages = request["messages"].as_array().unwrap();
    let written = messages.iter().filter(|message| message["role"] == "tool");
    let number = written.count();
    if number == count.parse::<usize>().unwrap() || request["tools"].is_null() {
        return done;
    }
    let path = format!("asked/{name}-{number}.txt");
    let content = "x".repeat(bytes.parse().unwrap());
    let input = json!({"path": path, "content": content}).to_string();
    let call = ScriptedChat::default().tool_call(&format!("call_{number}"), "Write", &input);
    call.finish("tool_calls").into()
}

async fn list(client: &Connection, params: ListQuestionsParams) -> ListQuestionsResult {
    client.call::<ListQuestions>(&params).await.unwrap()
}

async fn all(client: &Connection) -> Vec<OpenQuestion> {
    list(client, ListQuestionsParams::default()).await.questions
}

async fn respond(
    client: &Connection,
    question: &OpenQuestion,
    decision: PermissionDecision,
) -> Result<SeqResult, RpcError> {
    respond_to(
        client,
        question.session_id,
        question.request.request_id,
        decision,
    )
    .await
}

async fn respond_to(
    client: &Connection,
    session_id: SessionId,
    request_id: PermissionRequestId,
    decision: PermissionDecision,
) -> Result<SeqResult, RpcError> {
    let params = RespondPermissionParams {
        session_id,
        request_id,
        decision,
        reason: None,
        command_id: None,
    };
    let answer = client.call::<RespondPermission>(&params).await;
    answer.map_err(|error| match error {
        ClientError::Rpc(error) => error,
        other => panic!("no answer of the daemon: {other}"),
    })
}

/// The recorded answer that a second one is told.
fn recorded(refused: RpcError) -> PermissionAnswer {
    assert_eq!(refused.code, ErrorCode::Conflict);
    match serde_json::from_value(refused.details).unwrap() {
        PermissionConflict::Answered { answer } => answer,
        PermissionConflict::NotOpen => panic!("the answer is not told"),
    }
}

/// The daemon's own status.
struct HostFeed(Subscription);

impl HostFeed {
    async fn of(client: &Connection) -> Self {
        Self(client.subscribe_host().await.unwrap())
    }

    async fn next(&mut self) -> HostEvent {
        let text = timeout(PATIENCE, self.0.next()).await.expect("in time");
        serde_json::from_str(text.expect("it goes on").get()).unwrap()
    }

    /// The next question that is opened.
    async fn opened(&mut self) -> OpenQuestion {
        loop {
            if let HostEvent::QuestionOpened { question, .. } = self.next().await {
                return *question;
            }
        }
    }

    /// The next question that is closed, with its answer.
    async fn closed(&mut self) -> (PermissionRequestId, Option<PermissionAnswer>) {
        loop {
            if let HostEvent::QuestionClosed {
                request_id, answer, ..
            } = self.next().await
            {
                return (request_id, answer);
            }
        }
    }

    /// The questions of the snapshot, and those that follow, until there are so many.
    async fn questions(&mut self, count: usize) -> Vec<OpenQuestion> {
        let mut questions: Vec<OpenQuestion> = Vec::new();
        while questions.len() < count {
            let news = match self.next().await {
                HostEvent::Snapshot { questions, .. } => questions,
                HostEvent::QuestionOpened { question, .. } => vec![*question],
                _ => continue,
            };
            for question in news {
                if !questions.contains(&question) {
                    questions.push(question);
                }
            }
        }
        questions.sort_by_key(|question| question.request.request_id);
        questions
    }
}

/// Sends such messages to sessions of their own, and waits for the questions, in the order of the list.
async fn ask(
    daemon: &DaemonUnderTest,
    client: &Connection,
    messages: &[&str],
) -> Vec<OpenQuestion> {
    let mut feed = HostFeed::of(client).await;
    let mut opened = Vec::new();
    for message in messages {
        let id = create_session(client, daemon).await;
        send(client, id, message).await;
        opened.push(feed.opened().await);
    }
    opened
}

#[tokio::test]
async fn questions_are_listed_in_pages_and_stay_through_a_kill_until_they_are_answered() {
    let (mut daemon, _model) = asking().await;
    let client = connect(&daemon.socket()).await;
    let messages = [
        "[[one 1 9]]",
        "[[two 1 700000]]",
        "[[three 1 700000]]",
        "[[four 1 9]]",
        "[[five 1 9]]",
    ];
    let asked = ask(&daemon, &client, &messages).await;
    assert_eq!(
        asked[1].request.input["content"].as_str().map(str::len),
        Some(700_000)
    );
    assert_eq!(
        pages(&client, 200).await,
        [vec![0, 1], vec![2, 3, 4]].map(|page| of(&asked, &page))
    );
    let twos = [vec![0, 1], vec![2, 3], vec![4]];
    assert_eq!(pages(&client, 2).await, twos.map(|page| of(&asked, &page)));

    daemon.kill().await;
    daemon.spawn().await;
    let client = connect(&daemon.socket()).await;
    assert_eq!(
        pages(&client, 200).await.concat(),
        asked,
        "at once, in full"
    );
    let mut feed = HostFeed::of(&client).await;
    assert_eq!(feed.questions(2).await, asked[..2]);

    for question in &asked {
        let answer = respond(&client, question, PermissionDecision::Deny).await;
        answer.expect("it is open");
        let (closed, answer) = feed.closed().await;
        assert_eq!(closed, question.request.request_id);
        assert_eq!(answer.unwrap().decision.decision, PermissionDecision::Deny);
    }
    assert_eq!(all(&client).await, []);
}

fn of(asked: &[OpenQuestion], page: &[usize]) -> Vec<OpenQuestion> {
    page.iter().map(|index| asked[*index].clone()).collect()
}

async fn pages(client: &Connection, limit: u32) -> Vec<Vec<OpenQuestion>> {
    let mut pages = Vec::new();
    let mut cursor = None;
    loop {
        let params = ListQuestionsParams {
            limit: Some(limit),
            cursor,
            ..ListQuestionsParams::default()
        };
        let page = list(client, params).await;
        pages.push(page.questions);
        cursor = page.next_cursor;
        if cursor.is_none() {
            return pages;
        }
    }
}

#[tokio::test]
async fn of_answers_that_race_one_counts_and_all_others_learn_it_also_after_a_kill() {
    let (mut daemon, _model) = asking().await;
    let client = connect(&daemon.socket()).await;
    let asked = ask(&daemon, &client, &["[[race 1 9]]"]).await.remove(0);
    let answers = (0..8).map(|number| {
        let (asked, socket) = (asked.clone(), daemon.socket());
        async move {
            let client = connect(&socket).await;
            let id = ClientId::generate();
            client.hello(Some(id)).await.unwrap();
            let decision = [PermissionDecision::Once, PermissionDecision::Deny][number % 2];
            (id, decision, respond(&client, &asked, decision).await)
        }
    });
    let (taken, refused): (Vec<_>, Vec<_>) = join_all(answers)
        .await
        .into_iter()
        .partition(|(.., answer)| answer.is_ok());
    let [(winner, decision, _)] = &taken[..] else {
        panic!("one answer counts: {taken:?}");
    };
    daemon.kill().await;
    daemon.spawn().await;
    let client = connect(&daemon.socket()).await;
    let late = respond(&client, &asked, PermissionDecision::Always).await;
    for refused in refused.into_iter().map(|(.., answer)| answer).chain([late]) {
        let told = recorded(refused.unwrap_err());
        assert_eq!(
            (told.client_id, told.decision.decision),
            (*winner, *decision)
        );
    }
    let id = asked.request.request_id.to_string();
    let approved = scorelctl(&daemon, &["approve", &id], &[]).await;
    assert!(!approved.status.success(), "it is not open: {approved:?}");
    assert_eq!(all(&client).await, []);
}

#[tokio::test]
async fn a_question_goes_with_its_turn_and_a_session_that_asks_is_not_deleted() {
    let (daemon, _model) = asking().await;
    let client = connect(&daemon.socket()).await;
    let asked = ask(&daemon, &client, &["[[a 1 9]]", "[[a 1 9]]"]).await;
    let id = asked[0].session_id;
    let delete = DeleteSessionParams {
        session_id: id,
        children: None,
        now: None,
        command_id: None,
    };
    let refused = client.call::<DeleteSession>(&delete).await.unwrap_err();
    assert!(matches!(refused, ClientError::Rpc(error) if error.code == ErrorCode::AgentTaskBusy));
    let of_one = ListQuestionsParams {
        session_id: Some(id),
        ..ListQuestionsParams::default()
    };
    assert_eq!(list(&client, of_one).await.questions, asked[..1]);

    let mut feed = HostFeed::of(&client).await;
    let cancel = CancelParams {
        children: None,
        session_id: id,
        expected_turn_id: None,
        clear_queue: None,
        command_id: None,
    };
    assert!(client.call::<Cancel>(&cancel).await.unwrap().cancelled);
    let (closed, answer) = feed.closed().await;
    assert_eq!(closed, asked[0].request.request_id);
    let answer = answer.unwrap();
    let by_whom = (answer.client_id, answer.decision.decision);
    assert_eq!(by_whom, (ClientId::Daemon, PermissionDecision::Cancelled));
    let late = respond(&client, &asked[0], PermissionDecision::Once).await;
    assert_eq!(recorded(late.unwrap_err()), answer);
    assert_eq!(all(&client).await, asked[1..]);

    // The same words in another session are another question.
    let request_id = asked[1].request.request_id;
    let once = PermissionDecision::Once;
    let refused = respond_to(&client, id, request_id, once).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Conflict);
    assert_eq!(refused.details, json!({"kind": "not_open"}));
    assert_eq!(all(&client).await, asked[1..]);
}
