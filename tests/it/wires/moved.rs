//! What an endpoint is sent after the leaf has moved.

use scorel_proto::{
    Branch, BranchParams, EventId, GetTree, GetTreeParams, Rewind, RewindParams, SendMessage,
    SendMessageParams, TreeEntry,
};
use scorel_testkit::{ModelReply, WireApi};

use super::WireScene;
use crate::under_test::{message, session};

const QUESTION: &str = "What is the answer?";

impl WireScene {
    async fn leaf(&self) -> Option<EventId> {
        session(&self.client, self.session).await.active_leaf_id
    }

    /// Where turns end, in the order of the log.
    async fn ends(&self) -> Vec<EventId> {
        let params = GetTreeParams {
            session_id: self.session,
            after_seq: None,
            limit: None,
            previews: None,
        };
        let nodes = self.client.call::<GetTree>(&params).await.unwrap().nodes;
        let ends = nodes.iter().filter(|node: &&TreeEntry| node.turn_end);
        ends.map(|node| node.id).collect()
    }

    async fn rewind(&self, target: EventId) {
        let params = RewindParams {
            session_id: self.session,
            target_event_id: Some(target),
            expected_leaf_id: self.leaf().await,
            restore_files: None,
            command_id: None,
        };
        self.client.call::<Rewind>(&params).await.unwrap();
    }

    async fn branch(&self, leaf: EventId) {
        let params = BranchParams {
            session_id: self.session,
            leaf_event_id: leaf,
            expected_leaf_id: self.leaf().await,
            restore_files: None,
            command_id: None,
        };
        self.client.call::<Branch>(&params).await.unwrap();
    }

    /// Sends the question again in the place of the one that followed `parent`.
    async fn resend(&mut self, parent: EventId) {
        self.endpoint.reply(ModelReply::default().text("42."));
        let params = SendMessageParams {
            parent_event_id: Some(Some(parent)),
            expected_leaf_id: Some(self.leaf().await),
            ..message(self.session, QUESTION)
        };
        self.client.call::<SendMessage>(&params).await.unwrap();
        let seen = self.watch.until("turn_outcome").await;
        assert_eq!(seen.last().unwrap()["reason"], "completed");
        assert_eq!(self.endpoint.rejections().len(), 0);
    }
}

/// A request is made of its path alone: the same path gives the same bytes, whichever way led there,
/// so the endpoint's cache of it holds.
#[tokio::test]
async fn a_path_is_sent_in_the_same_bytes_whichever_way_led_to_it() {
    for api in WireApi::ALL {
        let mut scene = WireScene::over(api).await;
        scene.turn_with_tools().await;
        scene.turn_with_tools().await;
        let ends = scene.ends().await;
        let asked = scene.endpoint.server().requests()[3].body.clone();
        let text = String::from_utf8(asked).unwrap();
        assert_eq!(text.matches(QUESTION).count(), 2, "{text}");

        scene.rewind(ends[0]).await;
        scene.endpoint.reply(ModelReply::default().text("42."));
        scene.turn(QUESTION).await;
        assert_eq!(scene.last_request(), text, "{api:?}: after a rewind");
        scene.resend(ends[0]).await;
        assert_eq!(scene.last_request(), text, "{api:?}: sent again");

        scene.branch(ends[1]).await;
        scene.endpoint.reply(ModelReply::default().text("No."));
        scene.turn("Anything else?").await;
        let request = scene.last_request();
        assert_eq!(request.matches(QUESTION).count(), 2, "{api:?}: {request}");
        assert_eq!(request.matches("the answer is 42").count(), 2, "{request}");
        assert!(
            !request.contains("\"42.\""),
            "{api:?}: the other branches: {request}"
        );
    }
}
