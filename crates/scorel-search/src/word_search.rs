use std::collections::HashMap;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _, Row, Statement, params};
use scorel_journal::{FileStorage, Reader, RecordPosition};
use scorel_proto::{ProjectId, SearchHit, Seq, SessionId};

use crate::cursor::WordCursor;
use crate::document::{Document, DocumentScope};
use crate::filter::SearchFilter;
use crate::hit::{HitSession, SearchPage};
use crate::index_writer::{scope_of_project, scope_of_role};
use crate::limits::{MAX_CANDIDATES, MAX_MISSES};
use crate::record_time::first_id_at;
use crate::word_matcher::WordMatcher;
use crate::word_query::WordQuery;

/// How many logs are kept open.
const OPEN_LOGS: usize = 16;

/// The ids of the candidates, the newest first.
const CANDIDATES: &str = "SELECT rowid FROM words WHERE words MATCH ?1 AND rowid < ?2 AND rowid >= ?3 \
                          ORDER BY rowid DESC";

const PLACE: &str = "SELECT s.session, s.project, s.archived, ifnull(s.title, s.opening), \
                     r.seq, r.offset, r.len \
                     FROM records r JOIN sessions s ON s.id = r.session WHERE r.id = ?1";

/// One search for words.
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
pub(crate) type FoundWords = (SearchPage, Vec<SessionId>);

/// A record that may match.
struct Candidate {
    session: HitSession,
    archived: bool,
    place: RecordPosition,
}

impl Candidate {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let seq: u64 = row.get(4)?;
        Ok(Self {
            session: HitSession {
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
        expression: &str,
        before: Option<WordCursor>,
    ) -> rusqlite::Result<FoundWords> {
        // One state of the index for all statements.
        let transaction = connection.transaction()?;
        let mut candidates = transaction.prepare(CANDIDATES)?;
        let mut places = transaction.prepare(PLACE)?;
        let before = before.map_or(i64::MAX, |cursor| cursor.0);
        let since = first_id_at(self.filter.since);
        let expression = in_scope(expression, self.filter);
        let mut ids = candidates.query(params![expression, before, since])?;
        let (mut looked_at, mut misses) = (0, 0);
        let mut last = None;
        while let Some(row) = ids.next()? {
            let is_enough = self.page.hits.len() >= self.filter.limit;
            if is_enough || looked_at == MAX_CANDIDATES || misses == MAX_MISSES {
                self.page.next_cursor = last.map(|last| WordCursor(last).to_string());
                break;
            }
            let id = row.get(0)?;
            last = Some(id);
            looked_at += 1;
            let Some(candidate) = self.candidate(&mut places, id)? else {
                continue;
            };
            match self.hit(&candidate) {
                Some(hit) => self.page.hits.push(hit),
                None => misses += 1,
            }
        }
        Ok((self.page, self.stale))
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

/// The expression for records that the filter lets through.
fn in_scope(expression: &str, filter: &SearchFilter) -> String {
    let mut parts = Vec::new();
    if let Some(id) = filter.project_id {
        parts.push(format!("(scope : \"{}\")", scope_of_project(id)));
    }
    if filter.role.is_some() {
        parts.push(format!("(scope : \"{}\")", scope_of_role(filter.role)));
    }
    parts.push(format!("({expression})"));
    parts.join(" AND ")
}
