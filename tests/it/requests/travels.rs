//! Requests after the leaf has moved.

use scorel_proto::{
    Branch, BranchParams, EventId, GetTree, GetTreeParams, Rewind, RewindParams, SendMessage,
    SendMessageParams, TreeEntry,
};

use super::goldens::golden;
use super::scene::{Scene, reads, says};
use crate::under_test::{message, session};

impl Scene {
    pub(super) async fn leaf(&self) -> Option<EventId> {
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

    pub(super) async fn rewind(&self, target: EventId) {
        let params = RewindParams {
            restore_files: None,
            session_id: self.session,
            target_event_id: Some(target),
            expected_leaf_id: self.leaf().await,
            command_id: None,
        };
        self.client.call::<Rewind>(&params).await.unwrap();
    }

    /// A turn with a call, and a turn without.
    async fn two_turns(&mut self) {
        self.reply(reads("call_1", "notes.txt"))
            .reply(says("42.").thinking("There it is."));
        self.begin("What is the answer?").await;
        self.completed().await;
        self.turn("Are you sure?", "Yes.").await;
    }
}

#[tokio::test]
async fn a_rewind() {
    golden("rewind", async |scene: &mut Scene| {
        scene.two_turns().await;
        scene.rewind(scene.ends().await[0]).await;
        scene.turn("Why?", "It says so.").await;
    })
    .await;
}

#[tokio::test]
async fn an_edited_message() {
    golden("edit_and_resend", async |scene: &mut Scene| {
        scene.two_turns().await;
        scene.reply(says("Quite."));
        let params = SendMessageParams {
            parent_event_id: Some(Some(scene.ends().await[0])),
            expected_leaf_id: Some(scene.leaf().await),
            ..message(scene.session, "Are you quite sure?")
        };
        scene.client.call::<SendMessage>(&params).await.unwrap();
        scene.completed().await;
    })
    .await;
}

#[tokio::test]
async fn a_branch() {
    golden("branch", async |scene: &mut Scene| {
        scene.two_turns().await;
        let leaf = scene.leaf().await.unwrap();
        scene.rewind(scene.ends().await[0]).await;
        scene.turn("Why?", "It says so.").await;
        let params = BranchParams {
            restore_files: None,
            session_id: scene.session,
            leaf_event_id: leaf,
            expected_leaf_id: scene.leaf().await,
            command_id: None,
        };
        scene.client.call::<Branch>(&params).await.unwrap();
        scene.turn("Really?", "Really.").await;
    })
    .await;
}
