//! A connection reads its own writes.

use scorel_proto::{GetSession, GetSessionParams, UpdateSession, UpdateSessionParams};
use scorel_testkit::DaemonUnderTest;
use serde_json::{from_value, json};

use crate::under_test::{SCORELD, new_session};

#[tokio::test(flavor = "multi_thread")]
async fn a_call_sees_the_mutation_that_was_sent_before_it() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let (client, session_id) = new_session(&daemon).await;
    for round in 0..50 {
        let title = format!("title {round}");
        let change = json!({"sessionId": session_id, "title": title});
        let change: UpdateSessionParams = from_value(change).unwrap();
        let read = GetSessionParams { session_id };
        // Both are sent before either is answered, in this order.
        let (changed, read) = tokio::join!(
            client.call::<UpdateSession>(&change),
            client.call::<GetSession>(&read)
        );
        changed.unwrap();
        assert_eq!(read.unwrap().session.title, Some(title));
    }
}
