//! Records of calls that a crash left out.

use crate::rig::Rig;

#[tokio::test(start_paused = true)]
async fn a_call_whose_daemon_ends_while_a_tool_runs_is_recorded_by_the_next_one() {
    let rig = Rig::new();
    let id = rig.run().await;
    rig.begin(id, "go").await;
    rig.model().await.tools(&[("c1", "look")]).await;
    let _runs = rig.tool().await;
    assert!(rig.engine_turns(id).is_empty(), "its tool has no result");
    let next = rig.crashed();
    next.lane(id).await;
    let records = next.engine_turns(id);
    assert_eq!(records.len(), 1);
    assert_eq!(
        (&records[0]["id"], &records[0]["phaseAfter"]),
        (&"C01".into(), &"Running".into())
    );
    let again = next.crashed();
    again.lane(id).await;
    assert_eq!(again.engine_turns(id), records, "once");
    let log = again.check(id).await;
    assert_eq!(log.reasons(), ["interrupted"]);
    let lines = again.audit(id);
    assert!(lines[0].proof.matches && lines[0].tool_runs[0].is_error);
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_daemon_ends_behind_the_outcome_is_recorded_by_the_next_one() {
    let rig = Rig::new();
    let id = rig.run().await;
    rig.exchange(id, "go").await;
    let records = rig.engine_turns(id);
    assert_eq!(records.len(), 1);
    let log = rig.dir(id).join("events.jsonl");
    let text = std::fs::read_to_string(&log).expect("a log");
    let record = text.lines().last().expect("a record");
    assert!(record.contains("workflow.engine_turn"), "{record}");
    let cut = &text[..text.len() - record.len() - 1];
    let next = rig.crashed();
    std::fs::remove_file(next.dir(id).join("checkpoint")).ok();
    std::fs::write(next.dir(id).join("events.jsonl"), cut).expect("writable");
    next.lane(id).await;
    assert_eq!(next.engine_turns(id), records, "the same");
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
