//! Model calls of a run: the record of each answer proves its request, which is what the log says.

mod rebuilt;

use std::collections::BTreeSet;
use std::fs;

use scorel_engine::ModelRequest;
use scorel_proto::{
    CustomBody, Event, PersistentBody, PersistentEvent, ProjectId, RUN_STARTED_KIND, RequestHasher,
    RunId, SessionId, SessionKind,
};
use scorel_session::{EventDraft, NewSession};
use scorel_transfer::audit::{AuditLine, SessionAudit, ToolBlobs};
use serde_json::{Value, json};

use crate::log::text;
use crate::rig::{Rig, new_session};

impl Rig {
    /// A session that belongs to a run.
    async fn run(&self) -> SessionId {
        let run_id = RunId::generate();
        let new = NewSession {
            kind: SessionKind::Workflow,
            run: Some(run_id),
            ..new_session(ProjectId::generate(), None)
        };
        let id = self.sessions.create(new).await.expect("created").session_id;
        let started = PersistentBody::Custom(CustomBody {
            kind: RUN_STARTED_KIND.to_owned(),
            data: json!({
                "runId": run_id,
                "package": {"id": "story", "version": "1", "digest": "d"},
                "workflow": "story",
            }),
        });
        let lane = self.lane(id).await;
        let commit = lane.section(move |section| section.commit(EventDraft::new(started)));
        commit.await.expect("it runs").expect("it is written");
        id
    }

    fn events(&self, id: SessionId) -> Vec<PersistentEvent> {
        let log = self.log(id);
        let decoded = log.lines.iter().map(|line| Event::decode(line));
        let events = decoded.filter_map(|event| match event.expect("an event") {
            Event::Persistent(event) => Some(*event),
            _ => None,
        });
        events.collect()
    }

    fn audit(&self, id: SessionId) -> Vec<AuditLine> {
        self.audit_of(id, &self.events(id))
    }

    /// The lines of these records, with the blobs of the session.
    fn audit_of(&self, id: SessionId, events: &[PersistentEvent]) -> Vec<AuditLine> {
        let mut wanted = BTreeSet::new();
        events
            .iter()
            .for_each(|event| ToolBlobs::named_by(event, &mut wanted));
        let mut blobs = ToolBlobs::default();
        for name in wanted {
            let file = self.dir(id).join("blobs").join(name.as_str());
            blobs.insert(name, &fs::read(file).expect("it is stored"));
        }
        let mut audit = SessionAudit::new(&blobs);
        let mut lines: Vec<AuditLine> = events.iter().filter_map(|it| audit.add(it)).collect();
        lines.extend(audit.end());
        lines
    }
}

fn sha256(request: &ModelRequest, tools: &str) -> String {
    let tools = tools.parse().expect("a digest");
    let mut hasher = RequestHasher::new(&request.system, &tools);
    request.messages.iter().for_each(|it| hasher.add(it));
    hasher.proof().request_sha256
}

#[tokio::test(start_paused = true)]
async fn each_answer_of_a_run_proves_its_request() {
    let rig = Rig::new();
    let id = rig.run().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    let first = rig.model().await;
    let mut requests = vec![first.request.clone()];
    first.tools(&[("c1", "look")]).await;
    rig.tool().await.end("found");
    let second = rig.model().await;
    requests.push(second.request.clone());
    second.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
    rig.exchange(id, "and now").await;
    let log = rig.check(id).await;
    let answers = log.all("assistant").into_iter();
    let proofs: Vec<&Value> = answers
        .map(|it| &it["message"]["meta"]["request"])
        .collect();
    assert_eq!(proofs.len(), 3);
    for (request, proof) in requests.iter().zip(&proofs) {
        let sha256 = sha256(request, text(proof, "toolSetDigest"));
        assert_eq!(proof["requestSha256"], sha256);
    }
    assert_eq!(proofs[0]["toolSetDigest"], proofs[2]["toolSetDigest"]);
    let lines = rig.audit(id);
    assert_eq!(lines.len(), 3);
    for line in &lines {
        assert!(line.proof.matches, "{:?}", line.proof);
    }
    let tools = lines[0].request.tools.iter();
    let names: Vec<&Value> = tools.map(|tool| &tool["function"]["name"]).collect();
    assert_eq!(names, ["look", "peek", "write"]);
    assert_eq!(lines[0].tool_runs[0].result, Some(json!("found")));
}

#[tokio::test(start_paused = true)]
async fn other_sessions_have_no_hashes() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.exchange(id, "go").await;
    let log = rig.check(id).await;
    let answer = log.only("assistant");
    assert_eq!(answer["message"]["meta"], Value::Null);
    assert!(!rig.dir(id).join("blobs").exists(), "nothing is stored");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_a_crash_cut_off_is_told_as_one_without_a_proof() {
    let rig = Rig::new();
    let id = rig.run().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    let call = rig.model().await;
    call.text("half an ans").await;
    follower.until("text_delta").await;
    let next = rig.crashed();
    next.lane(id).await;
    let lines = next.audit(id);
    assert_eq!(lines.len(), 1);
    assert!(!lines[0].proof.matches && lines[0].response.partial);
}
