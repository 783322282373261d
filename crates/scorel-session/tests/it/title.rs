//! Titles that a model writes.

use scorel_proto::{ClientId, SessionChanges, SessionId, TitleSource};
use scorel_session::{MutationCommand, TitleAnswer, TitleRequest, UpdateRequest};
use tokio::sync::oneshot;

use crate::follower::within;
use crate::rig::Rig;

type Asked = (
    oneshot::Receiver<TitleRequest>,
    oneshot::Sender<TitleAnswer>,
);

fn plan(rig: &Rig) -> Asked {
    let (asked, request) = oneshot::channel();
    let (answer, answered) = oneshot::channel();
    rig.plan(|plan| plan.title = Some((asked, answered)));
    (request, answer)
}

fn answer(title: Option<&str>) -> TitleAnswer {
    TitleAnswer {
        title: title.map(str::to_owned),
        model: "script/small".to_owned(),
        usage: None,
        cost: None,
    }
}

async fn titled(rig: &Rig, id: SessionId) -> (Option<String>, Option<TitleSource>) {
    let session = rig.lane(id).await.session().expect("there");
    (session.title, session.title_source)
}

#[tokio::test(start_paused = true)]
async fn the_opening_is_the_title_until_a_model_has_written_one() {
    let rig = Rig::new();
    let id = rig.session().await;
    let (request, reply) = plan(&rig);
    let mut follower = rig.follow(id).await;
    rig.exchange(id, "Why is the sky blue?").await;
    follower.outcome().await;
    let opening = (
        Some("Why is the sky blue?".to_owned()),
        Some(TitleSource::Opening),
    );
    assert_eq!(titled(&rig, id).await, opening);
    let asked = within(request).await.unwrap();
    assert!(asked.conversation.contains("Why is the sky blue?"));
    assert!(asked.conversation.contains("to Why"), "{asked:?}");
    reply.send(answer(Some("Colour of the sky"))).unwrap();
    follower.until("session_info").await;
    let generated = (
        Some("Colour of the sky".to_owned()),
        Some(TitleSource::Generated),
    );
    assert_eq!(titled(&rig, id).await, generated);

    let (mut again, _reply) = plan(&rig);
    rig.exchange(id, "And at night?").await;
    assert!(again.try_recv().is_err(), "one try");
    rig.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn a_title_of_a_client_stays() {
    let rig = Rig::new();
    let id = rig.session().await;
    let (request, reply) = plan(&rig);
    rig.exchange(id, "hello").await;
    within(request).await.unwrap();
    let changes = SessionChanges {
        title: Some("Mine".to_owned()),
        ..SessionChanges::default()
    };
    let command = MutationCommand::new(ClientId::Daemon, None, "updateSession", &());
    let lane = rig.lane(id).await;
    lane.mutate(UpdateRequest { command, changes })
        .await
        .unwrap();
    reply.send(answer(Some("Generated"))).unwrap();
    // The next turn's records come after whatever the answer led to.
    rig.exchange(id, "more").await;
    let mine = (Some("Mine".to_owned()), Some(TitleSource::Client));
    assert_eq!(titled(&rig, id).await, mine);
    assert_eq!(rig.check(id).await.all("session_info").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_session_with_a_title_asks_for_none() {
    let rig = Rig::new();
    let id = rig
        .session_of(scorel_proto::ProjectId::generate(), Some("Given"))
        .await;
    let (mut request, _reply) = plan(&rig);
    rig.exchange(id, "hello").await;
    assert!(request.try_recv().is_err());
}
