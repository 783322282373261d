//! The numbers of events over the reserved blocks.

use scorel_proto::StopReason;

use crate::rig::Rig;

/// How many numbers a record reserves.
const RESERVE: u64 = 65_536;

#[tokio::test(start_paused = true)]
async fn an_answer_longer_than_a_reserved_block_reserves_another() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    let call = rig.model().await;
    for _ in 0..RESERVE + 100 {
        call.text("x").await;
    }
    call.done(StopReason::EndTurn).await;
    follower.outcome().await;
    let log = rig.check(id).await;
    let reserve = log.only("seq_reserve");
    assert_eq!(
        reserve["seq"],
        RESERVE + 3,
        "the last number of the block of record 3"
    );
    assert!(reserve["turnId"].is_string());
    let outcome = log.only("turn_outcome")["seq"].as_u64().expect("a number");
    assert!(outcome > RESERVE + 100);

    let again = rig.restarted();
    let session = again.lane(id).await.session().expect("there");
    assert_eq!(
        session.current_seq.get(),
        outcome,
        "a closed turn leaves no gap"
    );
    again.exchange(id, "next").await;
    assert_eq!(again.log(id).all("user")[1]["seq"], outcome + 1);
}
