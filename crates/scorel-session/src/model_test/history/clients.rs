//! Clients that connect, read a part of what they are sent, and disconnect.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use scorel_proto::{Anchors, ResyncParams, ResyncResult, Seq, SessionId};

use super::History;
use crate::model_test::MERGED;
use crate::model_test::client::Client;
use crate::model_test::reference::Reference;
use crate::model_test::transcript::{Item, Transcript};
use crate::subscriber::FAR_BEHIND;
use crate::{SessionError, Sessions, Subscriber};

/// Longer than anything takes.
const FOREVER: Duration = Duration::from_secs(60);

/// A client, and its connection.
#[derive(Debug, Default)]
pub(super) struct Watcher {
    pub(super) client: Client,
    /// What it had at some time before.
    backup: Client,
    link: Option<Link>,
}

#[derive(Debug)]
struct Link {
    source: Source,
    transcript: Transcript,
    /// The items that were sent and not read yet.
    due: VecDeque<Item>,
}

#[derive(Debug)]
enum Source {
    Subscription(Box<Subscriber>),
    /// The next page of a resync, if there is one.
    Pages(Option<ResyncParams>),
}

impl Watcher {
    pub(super) const fn is_subscribed(&self) -> bool {
        let Some(link) = &self.link else { return false };
        matches!(link.source, Source::Subscription(_))
    }

    /// The connection is gone, with everything that was on its way.
    fn disconnect(&mut self) {
        self.link = None;
        self.client.disconnected();
    }

    /// The daemon is gone. A resync knows no connection.
    pub(super) fn lose_daemon(&mut self) {
        if self.is_subscribed() {
            self.disconnect();
        }
    }

    fn read(&mut self, count: usize, reference: &Reference) {
        if let Some(link) = &mut self.link {
            for item in link.due.drain(..count.min(link.due.len())) {
                self.client.take(&item, reference);
            }
        }
    }
}

/// What came over a link.
enum LinkAnswer {
    Batch(Vec<Bytes>),
    Page(Box<ResyncResult>),
}

impl Link {
    /// Returns whether there is something to fetch, without anything else happening.
    fn has_more(&self, reference: &Reference) -> bool {
        self.transcript.expects_more(reference) && !matches!(self.source, Source::Pages(None))
    }

    async fn fetch(&mut self, sessions: &Arc<Sessions>) -> LinkAnswer {
        match &mut self.source {
            Source::Subscription(subscriber) => {
                let batch = tokio::time::timeout(FOREVER, subscriber.next_batch()).await;
                let batch = batch.expect("something comes").expect("readable");
                LinkAnswer::Batch(batch.expect("more follows"))
            }
            Source::Pages(next) => {
                let params = next.take().expect("a page follows");
                let page = sessions.resync(params.clone()).await.expect("a page");
                let follow = |token| ResyncParams {
                    page: Some(token),
                    ..params
                };
                *next = page.next_page.clone().map(follow);
                LinkAnswer::Page(Box::new(page))
            }
        }
    }

    fn sent(&mut self, answer: &LinkAnswer, id: SessionId, reference: &Reference) {
        match answer {
            LinkAnswer::Batch(batch) => {
                let behind = self
                    .transcript
                    .cursor()
                    .map(|seq| reference.count_after(seq));
                for json in batch {
                    let item = Item::read(json, reference);
                    if let Item::Merged(_) = item {
                        MERGED.fetch_add(1, Ordering::Relaxed);
                        assert!(behind > Some(FAR_BEHIND), "merged for one that is near");
                    }
                    self.transcript.take(&item, reference);
                    self.due.push_back(item);
                }
            }
            LinkAnswer::Page(page) => {
                let items = self.transcript.take_page(page, id, reference);
                self.due.extend(items);
            }
        }
    }

    /// Asks for a batch and gives up at the first place where that would wait.
    fn glance(&mut self, id: SessionId, reference: &Reference) {
        if let Source::Subscription(subscriber) = &mut self.source
            && let Some(batch) = subscriber.next_batch().now_or_never()
        {
            let batch = batch.expect("readable").expect("more follows");
            self.sent(&LinkAnswer::Batch(batch), id, reference);
        }
    }
}

impl History {
    /// One of the clients does something.
    pub(super) async fn watch(&mut self) {
        let at = self.dice.below(self.watchers.len());
        if self.watchers[at].link.is_none() {
            return self.connect(at).await;
        }
        match self.dice.below(12) {
            0 => self.watchers[at].disconnect(),
            1 => {
                let watcher = &mut self.watchers[at];
                watcher.backup.clone_from(&watcher.client);
                watcher.backup.disconnected();
            }
            2 => {
                if let Some(link) = &mut self.watchers[at].link {
                    link.glance(self.id, &self.reference);
                }
            }
            3..6 => {
                let count = self.dice.below(6);
                self.watchers[at].read(count, &self.reference);
            }
            6..8 => self.receive_while_writing(at).await,
            _ => {
                self.receive(at).await;
                self.watchers[at].read(usize::MAX, &self.reference);
            }
        }
    }

    async fn receive(&mut self, at: usize) {
        if let Some(link) = &mut self.watchers[at].link
            && link.has_more(&self.reference)
        {
            let answer = link.fetch(&self.sessions).await;
            link.sent(&answer, self.id, &self.reference);
        }
    }

    /// The answer may date from before, during or after the writes that happen meanwhile.
    async fn receive_while_writing(&mut self, at: usize) {
        let Some(mut link) = self.watchers[at].link.take() else {
            return;
        };
        if link.has_more(&self.reference) {
            let sessions = Arc::clone(&self.sessions);
            self.reference.begin_answer();
            let (answer, ()) = tokio::join!(link.fetch(&sessions), self.write_some());
            link.sent(&answer, self.id, &self.reference);
            self.reference.end_answer();
        }
        self.watchers[at].link = Some(link);
    }

    async fn connect(&mut self, at: usize) {
        let watcher = &mut self.watchers[at];
        match self.dice.below(8) {
            0 => watcher.client = Client::default(),
            1 => watcher.client.clone_from(&watcher.backup),
            2 => watcher.client.forget_stream(),
            _ => {}
        }
        let paged = self.dice.one_in(4);
        let link = self.link(self.watchers[at].client.anchors, paged).await;
        self.watchers[at].link = Some(link);
    }

    async fn link(&mut self, anchors: Anchors, paged: bool) -> Link {
        let source = if paged {
            Source::Pages(Some(ResyncParams {
                session_id: self.id,
                persistent_last_seq: Some(anchors.persistent_last_seq),
                stream_last_seq: anchors.stream_last_seq,
                persistent_last_id: None,
                page: None,
            }))
        } else {
            let subscriber = self.sessions.subscribe(self.id, anchors).await;
            Source::Subscription(Box::new(subscriber.expect("a session")))
        };
        let transcript = if paged {
            Transcript::paged(anchors)
        } else {
            Transcript::subscribed(anchors)
        };
        Link {
            source,
            transcript,
            due: VecDeque::new(),
        }
    }

    /// A client connects with anchors that are not its own, reads a little, and disconnects.
    pub(super) async fn probe(&mut self) {
        let anchors = self.any_anchors();
        let paged = self.dice.one_in(2);
        let mut link = self.link(anchors, paged).await;
        for _ in 0..=self.dice.below(4) {
            if self.dice.one_in(4) {
                self.write().await;
            }
            if link.has_more(&self.reference) {
                let answer = link.fetch(&self.sessions).await;
                link.sent(&answer, self.id, &self.reference);
            }
        }
        if self.dice.one_in(8) {
            let page = self
                .dice
                .pick(&["", "full", "live.1.2", "resume.x.y", "full.-1", "no.1"]);
            let page = self.sessions.resync(ResyncParams {
                session_id: self.id,
                persistent_last_seq: None,
                stream_last_seq: None,
                persistent_last_id: None,
                page: Some(page.to_owned()),
            });
            assert!(matches!(page.await, Err(SessionError::InvalidParams(_))));
        }
    }

    fn any_anchors(&mut self) -> Anchors {
        let persistent = self.any_number();
        let stream = (!self.dice.one_in(4)).then(|| self.any_number());
        let (persistent, stream) = match (self.dice.below(4), stream) {
            (0, Some(stream)) => (persistent.min(stream), Some(persistent.max(stream))),
            // Swapped.
            (1, Some(stream)) => (persistent.max(stream), Some(persistent.min(stream))),
            (_, stream) => (persistent, stream),
        };
        Anchors {
            persistent_last_seq: persistent,
            stream_last_seq: stream,
            persistent_last_id: None,
        }
    }

    /// A number of this session, one nearby, or any.
    fn any_number(&mut self) -> Seq {
        let shown = &self.reference.shown;
        let known = match self.dice.below(6) {
            0 => Seq::ZERO,
            1 => return Seq::new(self.dice.roll() >> 11).expect("below 2^53"),
            2 => self.reference.head,
            _ if shown.is_empty() => Seq::ZERO,
            _ => shown[self.dice.below(shown.len())].seq,
        };
        match self.dice.below(8) {
            0 => known.next(),
            1 => known.previous(),
            _ => known,
        }
    }

    /// A client gets everything that there is, over a connection that it may have to make.
    pub(super) async fn catch_up(&mut self, at: usize) {
        let watcher = &mut self.watchers[at];
        watcher.read(usize::MAX, &self.reference);
        if !watcher.is_subscribed() {
            watcher.disconnect();
            let link = self.link(self.watchers[at].client.anchors, false).await;
            self.watchers[at].link = Some(link);
        }
        let more = |watcher: &Watcher, reference: &Reference| {
            let link = watcher.link.as_ref().expect("connected");
            link.transcript.expects_more(reference)
        };
        while more(&self.watchers[at], &self.reference) {
            self.receive(at).await;
        }
        self.watchers[at].read(usize::MAX, &self.reference);
        self.watchers[at].client.check_view(&self.reference);
    }
}
