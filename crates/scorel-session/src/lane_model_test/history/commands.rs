//! What clients ask for.

use scorel_proto::{
    Block, CancelResult, ClientId, CommandId, CompactResult, Content, ErrorCode, EventId,
    OnConflict, PermissionDecisionBody, QueueEdit, QueueItemId, QueueKind, RestoreFilesResult,
    RestoreScope, RewriteQueueResult, SendMessageResult, Seq, TurnId, WhileRunning,
};

use super::History;
use crate::lane_model_test::observed::text;
use crate::lane_model_test::reference::commands::{Edit, Message};
use crate::lane_model_test::reference::{Label, Refusal, Sent};
use crate::{
    CancelAndClear, LeafTarget, MoveLeaf, MutationCommand, PermissionResponse, QueueRewrite,
    RestoreChoice, SendRequest, SessionError, WaitEnd,
};

/// A command as the lane gets it, so that it can be given again.
#[derive(Debug, Clone)]
pub(super) enum Command {
    Send(SendRequest),
    Rewrite(MutationCommand, u64, Vec<QueueEdit>),
    Clear(MutationCommand, Option<TurnId>),
    Rewind(MutationCommand, Option<EventId>, Option<EventId>),
    Branch(MutationCommand, EventId, Option<EventId>),
    Compact(MutationCommand),
    Restore(MutationCommand, EventId, RestoreChoice),
    EndWait(MutationCommand, TurnId),
    Respond(MutationCommand, PermissionDecisionBody),
}

#[derive(Debug)]
#[expect(dead_code, reason = "a reply is compared as a whole, by its text")]
pub(super) enum Reply {
    Sent(SendMessageResult),
    Rewritten(RewriteQueueResult),
    Cleared(CancelResult),
    Compacting(CompactResult),
    Restored(RestoreFilesResult),
    Done(Seq),
}

impl Reply {
    /// What a repetition answers too: not the queue, which is the one of that moment.
    fn lasting(&self) -> String {
        match self {
            Self::Rewritten(result) => format!("{} {}", result.seq, result.queue_version),
            other => format!("{other:?}"),
        }
    }
}

impl Command {
    fn receipt(&mut self) -> &mut MutationCommand {
        match self {
            Self::Send(request) => &mut request.command,
            Self::Rewrite(command, ..)
            | Self::Clear(command, _)
            | Self::Rewind(command, ..)
            | Self::Branch(command, ..)
            | Self::Compact(command)
            | Self::Restore(command, _, _)
            | Self::EndWait(command, _)
            | Self::Respond(command, _) => command,
        }
    }
}

impl History {
    /// A command with an id of its own.
    pub(super) fn named(&mut self, method: &str) -> MutationCommand {
        let id = format!("command-{}", self.label());
        let client = ClientId::Daemon;
        let known: CommandId = id.parse().expect("a command id");
        MutationCommand::new(client, Some(known), method, &id)
    }

    async fn ask(&self, command: Command) -> Result<Reply, SessionError> {
        let lane = self.lane();
        Ok(match command {
            Command::Send(request) => Reply::Sent(lane.mutate(request).await?),
            Command::Rewrite(command, version, edits) => Reply::Rewritten(
                lane.mutate(QueueRewrite {
                    command,
                    expected_version: version,
                    edits,
                })
                .await?,
            ),
            Command::Clear(command, expected) => Reply::Cleared(
                lane.mutate(CancelAndClear {
                    command,
                    expected,
                    clears: true,
                    stops_children: false,
                })
                .await?,
            ),
            Command::Rewind(command, target, expected) => Reply::Done(
                lane.mutate(MoveLeaf {
                    command,
                    target: LeafTarget::Ancestor(target),
                    expected_leaf: expected,
                })
                .await?,
            ),
            Command::Branch(command, leaf, expected) => Reply::Done(
                lane.mutate(MoveLeaf {
                    command,
                    target: LeafTarget::Branch(leaf),
                    expected_leaf: expected,
                })
                .await?,
            ),
            Command::Compact(command) => Reply::Compacting(lane.compact(command, None).await?),
            Command::Restore(command, before, choice) => {
                let begun = lane.restore_files(command, before, choice).await?;
                Reply::Restored(lane.restored(begun).await?)
            }
            Command::EndWait(command, turn) => Reply::Done(
                lane.mutate(WaitEnd {
                    command,
                    expected: turn,
                })
                .await?,
            ),
            Command::Respond(command, decision) => Reply::Done(
                lane.mutate(PermissionResponse { command, decision })
                    .await?,
            ),
        })
    }

    /// Gives a command that takes effect.
    pub(super) async fn carry_out(&mut self, command: Command) -> Reply {
        let reply = self.ask(command.clone()).await;
        let reply = reply.unwrap_or_else(|error| panic!("{command:?}: {error:?}"));
        self.done.push((command, reply.lasting()));
        reply
    }

    /// Gives a command that is refused, and changes nothing.
    async fn is_refused(&self, command: Command, refusal: Refusal) {
        let before = self.log();
        let error = self.ask(command).await.expect_err("refused");
        assert_eq!(refused(&error), refusal, "{error:?}");
        self.is_unchanged(&before);
    }

    /// Gives a command about which the reference decides.
    async fn try_out<T>(
        &mut self,
        command: Command,
        expected: Result<T, Refusal>,
    ) -> Option<Reply> {
        match expected {
            Ok(_) => Some(self.carry_out(command).await),
            Err(refusal) => {
                self.is_refused(command, refusal).await;
                None
            }
        }
    }

    pub(super) async fn send(&mut self) {
        let label = self.label();
        let while_running = self.dice.pick(&[
            WhileRunning::FollowUp,
            WhileRunning::Steer,
            WhileRunning::Steer,
            WhileRunning::Reject,
        ]);
        let parent = self.dice.one_in(6).then(|| self.some_node());
        let expected_leaf = self.dice.one_in(6).then(|| self.some_leaf());
        let message = Message {
            label,
            while_running,
            parent,
            expected_leaf,
        };
        let request = SendRequest {
            command: self.named("sendMessage"),
            content: vec![Block::text(text(label))],
            while_running,
            parent_event_id: parent.map(|node| self.event(node)),
            expected_leaf_id: expected_leaf.map(|node| self.event(node)),
            model: None,
            runner: None,
            mode: None,
            channel: None,
        };
        let expected = self.reference.send(message);
        let reply = self.try_out(Command::Send(request), expected).await;
        if let (Some(Reply::Sent(sent)), Ok(expected)) = (reply, expected) {
            let became = match sent {
                SendMessageResult::Accepted { .. } => Sent::Began,
                SendMessageResult::Queued {
                    queue, position, ..
                } => Sent::Queued(queue, position as usize),
            };
            assert_eq!(became, expected);
        }
    }

    pub(super) async fn rewrite(&mut self) {
        let stale = self.dice.one_in(8);
        let version = self.reference.version.wrapping_sub(u64::from(stale));
        let edits: Vec<Edit> = (0..=self.dice.below(3)).map(|_| self.edit()).collect();
        self.rewrite_with(version, &edits).await;
    }

    /// An idle session with a paused queue goes on.
    pub(super) async fn resume_queue(&mut self) {
        self.rewrite_with(self.reference.version, &[Edit::Resume])
            .await;
    }

    async fn rewrite_with(&mut self, version: u64, edits: &[Edit]) {
        let ops = edits.iter().map(|edit| self.operation(*edit)).collect();
        let command = Command::Rewrite(self.named("rewriteQueue"), version, ops);
        let expected = self.reference.rewrite(version, edits);
        self.try_out(command, expected).await;
    }

    fn edit(&mut self) -> Edit {
        let kind = self.dice.pick(&[QueueKind::Steer, QueueKind::FollowUp]);
        let position = u32::try_from(self.dice.below(4)).expect("small");
        let keys: Vec<Label> = self.reference.queue.iter().map(|item| item.key).collect();
        // Rarely an item that does not wait.
        let key = match keys.is_empty() || self.dice.one_in(12) {
            true => 0,
            false => self.dice.pick(&keys),
        };
        match self.dice.below(10) {
            0..2 => Edit::Pause,
            2..4 => Edit::Resume,
            at if at < 6 || keys.is_empty() => {
                let position = self.dice.one_in(2).then_some(position);
                Edit::Add(self.label(), kind, position, self.dice.one_in(3))
            }
            6 => Edit::Reword(key, self.label()),
            7 => Edit::Move(key, position),
            8 => Edit::Remove(key),
            _ => Edit::Convert(key, kind),
        }
    }

    fn operation(&self, edit: Edit) -> QueueEdit {
        let content = |label| Content::from(text(label).as_str());
        match edit {
            Edit::Add(label, kind, position, hold) => QueueEdit::Add {
                kind,
                content: content(label),
                position,
                hold: Some(hold),
            },
            Edit::Reword(key, label) => QueueEdit::Edit {
                queue_item_id: self.item(key),
                content: content(label),
            },
            Edit::Move(key, position) => QueueEdit::Move {
                queue_item_id: self.item(key),
                position,
            },
            Edit::Remove(key) => QueueEdit::Remove {
                queue_item_id: self.item(key),
            },
            Edit::Convert(key, kind) => QueueEdit::Convert {
                queue_item_id: self.item(key),
                kind,
            },
            Edit::Pause => QueueEdit::Pause {},
            Edit::Resume => QueueEdit::Resume {},
        }
    }

    /// The item of the lane, which is where it is in the reference.
    fn item(&self, key: Label) -> QueueItemId {
        let at = self.reference.queue.iter().position(|item| item.key == key);
        let items = &self.observed.view.state.queue.items;
        at.map_or_else(QueueItemId::generate, |at| items[at].queue_item_id)
    }

    pub(super) async fn cancel(&mut self) {
        let expected = match self.dice.below(4) {
            0 => self.dice.below(self.reference.turns + 2),
            _ => self.reference.turns,
        };
        let expected = self.dice.one_in(2).then_some(expected);
        let turn = expected.map(|number| self.turn(number));
        if self.dice.one_in(2) {
            let taken = self.reference.cancel(expected);
            assert_eq!(self.lane().cancel(turn), taken);
            return self.after_cancel(taken);
        }
        let command = Command::Clear(self.named("cancel"), turn);
        let taken = self.reference.cancel_and_clear(expected);
        let Ok(Reply::Cleared(result)) = self.ask(command.clone()).await else {
            panic!("a cancel always has an answer");
        };
        assert_eq!(result.cancelled, taken.unwrap_or(false));
        assert_eq!(result.seq.is_some(), taken.is_some());
        if taken.is_some() {
            self.done.push((command, Reply::Cleared(result).lasting()));
        }
        self.after_cancel(taken == Some(true));
    }

    /// Nothing reads what a model goes on to say.
    fn after_cancel(&mut self, taken: bool) {
        if taken && !self.runs_tools() {
            self.call = None;
        }
    }

    pub(super) async fn travel(&mut self) {
        let target = self.some_node();
        let expected = self.some_leaf();
        let to = self.event(target);
        let leaf = self.event(expected);
        match (target, to) {
            (Some(at), Some(event)) if self.dice.one_in(2) => {
                let command = Command::Branch(self.named("branch"), event, leaf);
                let verdict = self.reference.branch(at, expected);
                self.try_out(command, verdict).await;
            }
            _ => {
                let command = Command::Rewind(self.named("rewind"), to, leaf);
                let verdict = self.reference.rewind(target, expected);
                self.try_out(command, verdict).await;
            }
        }
    }

    pub(super) async fn compact(&mut self) {
        let command = Command::Compact(self.named("compact"));
        if self.reference.is_busy() {
            return self.is_refused(command, Refusal::Busy).await;
        }
        let before = self.log();
        match self.ask(command.clone()).await {
            Ok(reply) => {
                self.done.push((command, reply.lasting()));
                self.reference.compaction_began();
            }
            // How much is left to summarise is a matter of tokens.
            Err(SessionError::NothingToCompact) => self.is_unchanged(&before),
            Err(error) => panic!("{error:?}"),
        }
    }

    pub(super) async fn restore(&mut self) {
        if self.reference.nodes.is_empty() {
            return;
        }
        let before = self.dice.below(self.reference.nodes.len());
        let choice = RestoreChoice {
            scope: self.dice.pick(&[RestoreScope::Tools, RestoreScope::All]),
            on_conflict: OnConflict::Refuse,
        };
        let id = self.observed.nodes[before].id;
        let command = Command::Restore(self.named("restoreFiles"), id, choice);
        let expected = self.reference.restore(before);
        self.try_out(command, expected).await;
    }

    pub(super) async fn end_wait(&mut self) {
        let number = self.reference.turns;
        let turn = self.turn(number);
        let command = Command::EndWait(self.named("endWait"), turn);
        let expected = self.reference.end_wait(number);
        self.try_out(command, expected).await;
    }

    /// A command that was carried out comes once more, or its id does with another payload.
    pub(super) async fn repeat(&mut self) {
        if self.done.is_empty() {
            return;
        }
        let at = self.dice.below(self.done.len());
        let (mut command, first) = self.done[at].clone();
        let before = self.log();
        if self.dice.one_in(4) {
            command.receipt().digest.push('0');
            let error = self.ask(command).await.expect_err("refused");
            assert_eq!(error.code(), ErrorCode::Conflict);
        } else {
            let again = self.ask(command.clone()).await;
            let again = again.unwrap_or_else(|error| panic!("{command:?}: {error:?}"));
            assert_eq!(again.lasting(), first, "{command:?}");
        }
        self.is_unchanged(&before);
    }

    fn is_unchanged(&self, before: &[u8]) {
        let log = self.log();
        let more = String::from_utf8_lossy(&log[before.len()..]);
        assert!(more.is_empty(), "the command wrote {more}");
    }

    /// Mostly the end of a turn.
    fn some_node(&mut self) -> Option<usize> {
        let ends = self.reference.nodes.iter().enumerate();
        let ends = ends.filter(|(_, node)| node.ends_turn);
        let ends: Vec<usize> = ends.map(|(at, _)| at).collect();
        match self.dice.below(8) {
            0 => None,
            1 => Some(self.dice.below(self.reference.nodes.len() + 1)),
            _ if ends.is_empty() => None,
            _ => Some(self.dice.pick(&ends)),
        }
    }

    fn some_leaf(&mut self) -> Option<usize> {
        match self.dice.below(8) {
            0 => self.some_node(),
            _ => self.reference.leaf,
        }
    }

    fn event(&self, node: Option<usize>) -> Option<EventId> {
        let nodes = &self.observed.nodes;
        node.map(|at| nodes.get(at).map_or_else(EventId::generate, |node| node.id))
    }

    fn turn(&self, number: usize) -> TurnId {
        let known = number.checked_sub(1).and_then(|at| self.turns.get(at));
        known.copied().unwrap_or_else(TurnId::generate)
    }
}

fn refused(error: &SessionError) -> Refusal {
    match error {
        SessionError::Busy { .. } => Refusal::Busy,
        SessionError::QueuePaused => Refusal::QueuePaused,
        SessionError::QueueChanged { .. } => Refusal::QueueChanged,
        SessionError::InvalidParams(_) => Refusal::InvalidParams,
        SessionError::LeafMoved { .. } => Refusal::LeafMoved,
        SessionError::InvalidTarget { .. } => Refusal::InvalidTarget,
        SessionError::Summarised { .. } => Refusal::Summarised,
        SessionError::Conflict(_) | SessionError::Answered(_) | SessionError::NotAsked(_) => {
            Refusal::Conflict
        }
        other => panic!("{other:?}"),
    }
}
