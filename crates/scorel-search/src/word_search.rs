use std::collections::HashMap;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _, Row, Statement, params};
use scorel_journal::{FileStorage, Reader, RecordPosition};
use scorel_proto::{ProjectId, SearchHit, Seq, SessionId};

use crate::cursor::WordCursor;
use crate::document::{Document, DocumentScope};
use crate::filter::SearchFilter;
use crate::hit::{SearchPage, SearchedSession};
use crate::index_writer::{scope_of_project, scope_of_role};
use crate::limits::{MAX_CANDIDATES, MAX_MISSES, MAX_NEWEST, NEWEST_SAMPLE};
use crate::record_time::first_id_at;
use crate::word_matcher::WordMatcher;
use crate::word_query::WordQuery;

/// The number of logs that are kept open.
const OPEN_LOGS: usize = 16;

/// The ids of the candidates, the newest first.
const CANDIDATES: &str = "SELECT rowid FROM words WHERE rowid < ?1 AND rowid >= ?2 AND words MATCH ?3 \
                          ORDER BY rowid DESC";

/// All records, with the parameters of [`CANDIDATES`].
const RECORDS: &str =
    "SELECT id FROM records WHERE id < ?1 AND id >= ?2 AND ?3 = '' ORDER BY id DESC";

const PLACE: &str = "SELECT s.session, s.project, s.archived, ifnull(s.title, s.opening), \
                     r.seq, r.offset, r.len \
                     FROM records r JOIN sessions s ON s.id = r.session WHERE r.id = ?1";
#[derive(Debug)]
pub(crate) struct WordSearch<'a> {
    sessions: &'a Path,
    filter: &'a SearchFilter,
    matcher: WordMatcher<'a>,
    /// `None` for a log that cannot be opened.
    logs: HashMap<SessionId, Option<Reader>>,
    page: SearchPage,
    /// Sessions whose logs are not as the index has them.
    stale: Vec<SessionId>,
}

/// The answer, and the sessions that have to be indexed anew.
pub(crate) type WordSearchResult = (SearchPage, Vec<SessionId>);

/// The progress of a pass over candidates.
#[derive(Debug, Default)]
struct PassCount {
    looked_at: usize,
    hits: usize,
    misses: usize,
}

impl PassCount {
    fn is_enough_of_newest(&self) -> bool {
        let is_rare = self.hits * 8 < self.looked_at;
        self.looked_at == MAX_NEWEST || self.looked_at >= NEWEST_SAMPLE && is_rare
    }

    fn is_enough_of_index(&self) -> bool {
        self.looked_at == MAX_CANDIDATES || self.misses == MAX_MISSES
    }
}

/// A record that may match.
struct Candidate {
    session: SearchedSession,
    archived: bool,
    place: RecordPosition,
}

impl Candidate {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let seq: u64 = row.get(4)?;
        Ok(Self {
            session: SearchedSession {
                session_id: SessionId::from_bytes(row.get(0)?),
                project_id: ProjectId::from_bytes(row.get(1)?),
                title: row.get(3)?,
            },
            archived: row.get(2)?,
            place: RecordPosition {
                seq: Seq::new(seq).unwrap_or(Seq::MAX),
                offset: row.get(5)?,
                len: row.get(6)?,
            },
        })
    }
}

impl<'a> WordSearch<'a> {
    pub(crate) fn new(sessions: &'a Path, query: &'a WordQuery, filter: &'a SearchFilter) -> Self {
        Self {
            sessions,
            filter,
            matcher: WordMatcher::new(query),
            logs: HashMap::new(),
            page: SearchPage::default(),
            stale: Vec::new(),
        }
    }

    /// Collects hits until there are enough, or enough was looked at.
    pub(crate) fn run(
        mut self,
        connection: &mut Connection,
        query: &WordQuery,
        before: Option<WordCursor>,
    ) -> rusqlite::Result<WordSearchResult> {
        // One state of the index for all statements.
        let transaction = connection.transaction()?;
        let mut next = Some(before.map_or(i64::MAX, |cursor| cursor.0));
        if let (Some(broad), Some(before)) = (query.without_prefixes(), next) {
            next = self.pass(&transaction, &broad, before, PassCount::is_enough_of_newest)?;
        }
        if let (false, Some(before)) = (self.is_full(), next) {
            next = self.pass(&transaction, query, before, PassCount::is_enough_of_index)?;
        }
        self.page.next_cursor = next.map(|last| WordCursor(last).to_string());
        Ok((self.page, self.stale))
    }

    /// Goes through the candidates of a query, the newest first, and returns the last one if there are more.
    fn pass(
        &mut self,
        index: &Connection,
        query: &WordQuery,
        before: i64,
        is_enough: fn(&PassCount) -> bool,
    ) -> rusqlite::Result<Option<i64>> {
        let since = first_id_at(self.filter.since);
        let expression = in_scope(query, self.filter);
        let statement = if expression.is_empty() {
            RECORDS
        } else {
            CANDIDATES
        };
        let mut candidates = index.prepare(statement)?;
        let mut places = index.prepare(PLACE)?;
        let mut ids = candidates.query(params![before, since, expression])?;
        let mut count = PassCount::default();
        let mut last = before;
        while let Some(row) = ids.next()? {
            if self.is_full() || is_enough(&count) {
                return Ok(Some(last));
            }
            last = row.get(0)?;
            count.looked_at += 1;
            let Some(candidate) = self.candidate(&mut places, last)? else {
                continue;
            };
            match self.hit(&candidate) {
                Some(hit) => {
                    count.hits += 1;
                    self.page.hits.push(hit);
                }
                None => count.misses += 1,
            }
        }
        Ok(None)
    }

    fn is_full(&self) -> bool {
        self.page.hits.len() >= self.filter.limit
    }

    fn candidate(
        &self,
        places: &mut Statement<'_>,
        id: i64,
    ) -> rusqlite::Result<Option<Candidate>> {
        let candidate = places.query_row([id], Candidate::read).optional()?;
        Ok(candidate.filter(|candidate| candidate.archived == self.filter.archived))
    }

    /// Reads the record and compares it. The log may have another one there by now, or be gone.
    fn hit(&mut self, candidate: &Candidate) -> Option<SearchHit> {
        let place = candidate.place;
        let log = self.log(candidate.session.session_id);
        let line = log.and_then(|log| log.read(place).ok());
        let Some(line) = line else {
            self.stale.push(candidate.session.session_id);
            return None;
        };
        let line = std::str::from_utf8(&line).ok()?;
        let document = Document::of_line(line, DocumentScope::Words)?;
        if document.ts < self.filter.since {
            return None;
        }
        let matches = self.matcher.find(&document.text)?;
        Some(candidate.session.hit(place.seq, &document, &matches))
    }

    fn log(&mut self, id: SessionId) -> Option<&Reader> {
        if self.logs.len() >= OPEN_LOGS && !self.logs.contains_key(&id) {
            self.logs.clear();
        }
        let dir = self.sessions.join(id.to_string());
        let open = || Reader::reopen(&FileStorage, &dir).ok();
        self.logs.entry(id).or_insert_with(open).as_ref()
    }
}

/// The expression for what a query wants among the records that the filter lets through; empty for all
/// records.
fn in_scope(query: &WordQuery, filter: &SearchFilter) -> String {
    let mut parts = Vec::new();
    if let Some(id) = filter.project_id {
        parts.push(format!("(scope : \"{}\")", scope_of_project(id)));
    }
    if filter.role.is_some() {
        parts.push(format!("(scope : \"{}\")", scope_of_role(filter.role)));
    }
    if !query.wanted.is_empty() {
        parts.push(format!("({})", query.expression()));
    }
    parts.join(" AND ")
}
