//! What must be true between two steps.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use scorel_proto::{Block, OpenTurn, Phase, QueueKind, SessionView};

use super::{FOREVER, History};
use crate::Lane;
use crate::lane::Section;
use crate::lane_model_test::observed::{labels, said};
use crate::lane_model_test::reference::path::{Said, speaker};
use crate::lane_model_test::reference::{Due, Kind, Label};
use crate::lane_model_test::{SUMMARIES, WINDOWS};

impl History {
    /// Waits until the session is what the reference says, and checks that it is so in every detail.
    pub(super) async fn settle(&mut self) {
        let expected = self.reference.due();
        if matches!(expected, Due::Answer | Due::Summary) {
            self.take_call().await;
        }
        if let Due::Tools(running) = &expected {
            self.take_runs(running).await;
        }
        if self.reference.phase() == Phase::Cancelling {
            for run in &self.runs {
                let told = tokio::time::timeout(FOREVER, run.context.cancel.cancelled()).await;
                told.expect("a tool learns of a cancel");
            }
        }
        self.until_settled().await;
        self.check().await;
    }

    /// Returns whether a tool of the open turn runs.
    pub(super) fn runs_tools(&self) -> bool {
        matches!(self.reference.due(), Due::Tools(_))
    }

    /// Takes the call that is due. Its request is what the reference makes of the conversation.
    async fn take_call(&mut self) {
        while self.calls < self.reference.calls {
            let call = tokio::time::timeout(FOREVER, self.end.calls.recv()).await;
            let call = call.expect("the model is called").expect("a stage");
            self.calls += 1;
            self.call = Some(call);
        }
        let request = &self.call.as_ref().expect("a call").request;
        let read: Vec<Said> = request.messages.iter().map(speech).collect();
        if self.reference.is_compacting() {
            return;
        }
        assert_eq!(read, self.reference.context(), "what the model reads");
    }

    async fn take_runs(&mut self, running: &[Label]) {
        while self.runs.len() < running.len() {
            let run = tokio::time::timeout(FOREVER, self.end.runs.recv()).await;
            self.runs.push(run.expect("a tool runs").expect("a stage"));
        }
        let mut ids: Vec<Label> = self
            .runs
            .iter()
            .map(|run| run.id.parse().expect("a key"))
            .collect();
        ids.sort_unstable();
        assert_eq!(ids, running, "the tools that run");
    }

    async fn until_settled(&self) {
        let lane = self.lane();
        let mut head = lane.watch_head();
        while !self.looks_settled(&lane) {
            let changed = tokio::time::timeout(FOREVER, head.changed()).await;
            if changed.is_err() {
                // What differs is said by the check.
                return;
            }
        }
    }

    fn looks_settled(&self, lane: &Lane) -> bool {
        let published = lane.published();
        let (view, reference) = (published.view(), &self.reference);
        published.phase() == reference.phase()
            && view.state.queue.version == reference.version
            && view.tree.len() == reference.nodes.len() + reference.moves
            && lane.has_job() == (reference.due() != Due::Nothing)
            && (reference.due() != Due::Permission || is_running(view))
            && self.shows_all(view)
    }

    /// Returns whether everything that the model has said was shown.
    fn shows_all(&self, view: &SessionView) -> bool {
        let shown = view.open.messages.iter().flat_map(open_labels);
        shown.count() == self.reference.shown()
    }

    async fn check(&mut self) {
        assert!(self.end.calls.try_recv().is_err(), "a call too many");
        assert!(self.end.runs.try_recv().is_err(), "a tool too many");
        let lane = self.lane();
        let mut locked = lane.lock().await;
        self.observed.read(&self.log());
        self.check_section(&locked.section());
        self.note_turns();
        // Nothing is published while the clients look.
        for at in 0..self.clients.len() {
            self.follow(at, &lane).await;
        }
        drop(locked);
    }

    fn check_section(&self, section: &Section<'_>) {
        let window = section.window();
        let (published, observed) = (section.published(), &self.observed);
        let view = published.view();
        assert_eq!(view.tree, observed.view.tree, "the fold of the log");
        let mut state = view.state.clone();
        state.last_seq = observed.view.state.last_seq;
        if let (Some(turn), Some(folded)) = (&mut state.turn, &observed.view.state.turn) {
            turn.running = folded.running;
        }
        assert_eq!(state, observed.view.state, "the fold of the log");
        assert_eq!(published.phase(), self.reference.phase());
        assert_eq!(
            state.turn.is_some(),
            self.reference.turn().is_some(),
            "an open turn"
        );
        if self.reference.turn().is_none() {
            let open = &view.open;
            assert!(
                open.messages.is_empty() && open.tools.is_empty(),
                "{open:?}"
            );
        }
        self.check_queue();
        self.check_files();
        self.check_tree();
        assert_eq!(observed.outcomes, self.reference.outcomes);
        if let Some(window) = window {
            assert_eq!(window, observed.window(), "the window and the path");
            let said: Vec<Said> = window.context().iter().map(speech).collect();
            assert_eq!(said, self.reference.context(), "what the model would read");
            WINDOWS.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn check_files(&self) {
        if let Some(project) = &self.project {
            for (name, label) in &self.reference.files.now {
                assert_eq!(project.read(name), *label, "the file {name}");
            }
        }
    }

    fn check_queue(&self) {
        let queue = &self.observed.view.state.queue;
        let items = queue.items.iter().map(|item| {
            let text = Block::plain_text_of(&item.content);
            (labels(&text), item.kind)
        });
        let items: Vec<(Vec<Label>, QueueKind)> = items.collect();
        let expected = self.reference.queue.iter();
        let expected: Vec<_> = expected.map(|item| (vec![item.label], item.kind)).collect();
        assert_eq!(items, expected, "the queue");
        assert_eq!(queue.paused, self.reference.paused, "whether it is paused");
        assert_eq!(queue.version, self.reference.version, "its version");
    }

    fn check_tree(&self) {
        let observed = &self.observed;
        // Moves of the leaf are in the tree and on no path.
        let placed = observed.view.tree.nodes();
        let placed = placed.filter(|node| observed.is_node(node.id));
        let mut read = observed.nodes.iter().zip(placed);
        assert_eq!(observed.nodes.len(), self.reference.nodes.len());
        for (at, expected) in self.reference.nodes.iter().enumerate() {
            let (node, placed) = read.next().expect("as many");
            assert_eq!(node.id, placed.id);
            let kind = match (node.kind, node.through) {
                (Kind::Summary(_), Some(through)) => Kind::Summary(observed.place_of(through)),
                (kind, _) => kind,
            };
            let parent = placed.parent_id.map(|id| observed.place_of(id));
            let found = (parent, kind, &node.labels, placed.turn_end);
            let wanted = (
                expected.parent,
                expected.kind,
                &expected.labels,
                expected.ends_turn,
            );
            assert_eq!(found, wanted, "node {at}, by {}", speaker(expected));
        }
        let leaf = observed.view.leaf().map(|id| observed.place_of(id));
        assert_eq!(leaf, self.reference.leaf, "the leaf");
    }

    fn note_turns(&mut self) {
        if let Some(turn) = self.observed.view.state.turn_id()
            && !self.turns.contains(&turn)
        {
            self.turns.push(turn);
        }
        assert_eq!(self.turns.len(), self.reference.turns);
    }

    /// A client reads on, or does not, or has lost what it had of unfinished messages.
    async fn follow(&mut self, at: usize, lane: &Arc<Lane>) {
        let client = &mut self.clients[at];
        if self.dice.one_in(20) {
            client.forget_stream();
        }
        if self.dice.one_in(2 + 8 * at) {
            client.catch_up(lane, &self.observed).await;
            let live = lane.view(Clone::clone);
            assert_eq!(client.view.tree, live.tree, "what a client sees");
            assert_eq!(client.view.state.queue, live.state.queue);
            assert_eq!(client.view.state.usage, live.state.usage);
            assert_eq!(client.view.open, live.open);
        }
    }

    /// Every client comes back, and sees what the log folds into.
    pub(super) async fn check_rest(&mut self) {
        let nodes = self.observed.nodes.iter();
        let summaries = nodes.filter(|node| node.through.is_some());
        SUMMARIES.fetch_add(summaries.count(), Ordering::Relaxed);
        let lane = self.lane();
        for client in &mut self.clients {
            client.catch_up(&lane, &self.observed).await;
            assert_eq!(client.view.tree, self.observed.view.tree);
            assert_eq!(client.view.state.queue, self.observed.view.state.queue);
        }
    }
}

/// Returns whether the task of the open turn has begun: an earlier daemon may have asked its question.
fn is_running(view: &SessionView) -> bool {
    let running = |turn: &OpenTurn| turn.running;
    view.state.turn.as_ref().is_some_and(running)
}

fn speech(message: &scorel_proto::Message) -> Said {
    use scorel_proto::Message;
    let speaker = match message {
        Message::User(_) | Message::Internal(_) => 'u',
        Message::Assistant(_) => 'a',
        Message::ToolResult(_) => 'r',
    };
    (speaker, said(message))
}

fn open_labels(message: &scorel_proto::OpenMessage) -> Vec<Label> {
    let text = message.blocks.iter().map(|block| match block {
        scorel_proto::OpenBlock::Text { text } => text.as_str(),
        _ => "",
    });
    labels(&text.collect::<String>())
}
