use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use scorel_journal::{Durability, FileStorage, Journal};
use scorel_proto::{
    AssistantMessage, Block, ClientId, EventId, Message, MessageBody, Meta, PersistentBody,
    PersistentEvent, ProjectId, Role, SearchHit, Seq, SessionChanges, SessionId, SessionInfoBody,
    StopReason, ToolResultBlock, ToolResultMessage,
};
use scorel_search::{SearchFilter, SearchIndex, SearchedSession};
use serde_json::json;
use tempfile::TempDir;

/// The time limit for what the index does soon.
const PATIENCE: Duration = Duration::from_secs(600);

/// A home with logs and an index over them.
pub(crate) struct SearchHome {
    root: TempDir,
    pub(crate) index: Arc<SearchIndex>,
}

/// A log that is written.
pub(crate) struct TestLog {
    pub(crate) id: SessionId,
    journal: Journal,
}

impl SearchHome {
    pub(crate) fn new() -> Self {
        let root = TempDir::new().unwrap();
        fs::create_dir(root.path().join("sessions")).unwrap();
        let index = index_in(&root);
        Self { root, index }
    }

    /// A daemon that has ended, and the next one.
    pub(crate) fn restart(&mut self) {
        self.index = index_in(&self.root);
    }

    pub(crate) fn start(&self) {
        self.index.start().unwrap();
        self.wait();
    }

    /// Waits until the index has everything.
    pub(crate) fn wait(&self) {
        self.wait_until(|index| index.behind_bytes() == 0);
    }

    pub(crate) fn wait_until(&self, reached: impl Fn(&SearchIndex) -> bool) {
        let began = Instant::now();
        while !reached(&self.index) {
            assert!(began.elapsed() < PATIENCE, "{}", self.index.behind_bytes());
            // The index's thread has the lowest priority: a test that spins keeps the processor from it.
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.root.path().join("search.db")
    }

    /// How many records are in the index.
    pub(crate) fn records(&self) -> u64 {
        let connection = rusqlite::Connection::open(self.file()).unwrap();
        let sql = "SELECT count(*) FROM records";
        connection.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    pub(crate) fn log_path(&self, id: SessionId) -> PathBuf {
        self.session_dir(id).join("events.jsonl")
    }

    pub(crate) fn session_dir(&self, id: SessionId) -> PathBuf {
        self.root.path().join("sessions").join(id.to_string())
    }

    pub(crate) fn log(&self, project_id: ProjectId) -> TestLog {
        self.log_of(SessionId::generate(), project_id)
    }

    pub(crate) fn log_of(&self, id: SessionId, project_id: ProjectId) -> TestLog {
        let header = json!({
            "type": "session", "format": 1, "sessionId": id, "projectId": project_id,
            "deviceId": "dev_01ARZ3NDEKTSV4RRFFQ69G5FAV", "kind": "user", "createdAt": 1,
            "version": "0.1.0",
        });
        let (storage, dir) = (Arc::new(FileStorage), self.session_dir(id));
        let header = header.to_string().into_bytes();
        let journal = Journal::create(storage, &dir, header, Durability::Flush).unwrap();
        TestLog { id, journal }
    }

    /// The hits on all pages, by words.
    pub(crate) fn words(&self, query: &str, filter: &SearchFilter) -> Vec<SearchHit> {
        pages(filter, |filter| self.index.words(query, filter).unwrap())
    }

    /// The hits on all pages, by a regular expression.
    pub(crate) fn regex(
        &self,
        query: &str,
        filter: &SearchFilter,
        sessions: &[SearchedSession],
    ) -> Vec<SearchHit> {
        pages(filter, |filter| {
            let sessions = sessions.to_vec();
            self.index.regex(query, filter, sessions).unwrap()
        })
    }

    /// The snippets of all hits.
    pub(crate) fn snippets(&self, query: &str) -> Vec<String> {
        let hits = self.words(query, &everything());
        hits.into_iter().map(|hit| hit.snippet).collect()
    }

    /// Tells the index of a commit.
    pub(crate) fn committed(&self, event: &PersistentEvent) {
        self.index.follow(event);
    }
}

fn index_in(root: &TempDir) -> Arc<SearchIndex> {
    let file = root.path().join("search.db");
    Arc::new(SearchIndex::new(file, root.path().join("sessions")))
}

fn pages(
    filter: &SearchFilter,
    search: impl Fn(&SearchFilter) -> scorel_search::SearchPage,
) -> Vec<SearchHit> {
    let mut filter = filter.clone();
    let mut hits = Vec::new();
    loop {
        let page = search(&filter);
        assert!(page.hits.len() <= filter.limit);
        hits.extend(page.hits);
        filter.cursor = page.next_cursor;
        if filter.cursor.is_none() {
            return hits;
        }
    }
}

pub(crate) fn everything() -> SearchFilter {
    SearchFilter {
        project_id: None,
        archived: false,
        role: None,
        since: 0,
        limit: 7,
        cursor: None,
    }
}

impl TestLog {
    pub(crate) fn say(&mut self, role: Role, text: &str, ts: u64) -> PersistentEvent {
        let message = message(role, vec![Block::text(text)]);
        let body = PersistentBody::Message(MessageBody::new(message));
        self.append(body, ts)
    }

    pub(crate) fn change(&mut self, changes: SessionChanges, ts: u64) -> PersistentEvent {
        self.append(PersistentBody::SessionInfo(SessionInfoBody { changes }), ts)
    }

    pub(crate) fn append(&mut self, body: PersistentBody, ts: u64) -> PersistentEvent {
        let mut event = PersistentEvent {
            id: EventId::generate(),
            parent_id: None,
            seq: Seq::ZERO,
            session_id: self.id,
            client_id: ClientId::Daemon,
            ts,
            turn_id: None,
            command_id: None,
            digest: None,
            origin: None,
            body,
            prev: None,
        };
        let encode = |seq| {
            event.seq = seq;
            serde_json::to_vec(&event)
        };
        let _published = self.journal.append(encode).unwrap();
        event
    }
}

pub(crate) fn message(role: Role, content: Vec<Block>) -> Message {
    match role {
        Role::User => Message::User(scorel_proto::UserMessage {
            content,
            meta: Meta::default(),
        }),
        Role::Assistant => Message::Assistant(AssistantMessage {
            content,
            model: "test".to_owned(),
            stop_reason: StopReason::EndTurn,
            usage: None,
            cost: None,
            partial: false,
            meta: Meta::default(),
        }),
        Role::ToolResult => {
            let result = ToolResultBlock {
                tool_use_id: "call".to_owned(),
                content,
                is_error: false,
                details: None,
            };
            Message::ToolResult(ToolResultMessage::new("Bash", result, 1))
        }
        Role::Internal => Message::Internal(scorel_proto::InternalMessage {
            content,
            meta: Meta::default(),
        }),
    }
}
