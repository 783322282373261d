//! Generated conversations whose words are known without reading them.

use scorel_proto::{ProjectId, Role, SessionChanges, SessionId};
use scorel_search::SearchedSession;
use scorel_testkit::SeededDice;

use crate::search_home::SearchHome;

/// The step between times. Records of one time get ids beside each other, so where there are many, some have
/// the id of a time some milliseconds later: less than a step, or hits would be out of order.
const STEP_MS: u64 = 10_000;

/// A piece of text, and its words as they are compared.
pub(crate) type TextPiece = (&'static str, &'static [&'static str]);

/// Code, prose, Chinese, Japanese, Thai, emoji, accents, and the words that could be operators.
pub(crate) const PIECES: &[TextPiece] = &[
    ("parser", &["parser"]),
    ("Parses", &["parses"]),
    ("PARS", &["pars"]),
    ("fn last_byte(&self)", &["fn", "last", "byte", "self"]),
    ("last byte", &["last", "byte"]),
    ("byte", &["byte"]),
    ("std::vec::Vec<u8>", &["std", "vec", "vec", "u8"]),
    ("a", &["a"]),
    ("x", &["x"]),
    ("Café", &["cafe"]),
    ("CAFE\u{301}S", &["cafes"]),
    ("naïve", &["naive"]),
    ("Σίσυφος", &["σισυφοσ"]),
    ("Ёлка", &["елка"]),
    ("解析器", &["解", "析", "器"]),
    ("解析", &["解", "析"]),
    ("器械", &["器", "械"]),
    ("検索する", &["検", "索", "す", "る"]),
    ("カタカナ", &["カ", "タ", "カ", "ナ"]),
    ("ไทย", &["ไ", "ท", "ย"]),
    ("한국어", &["한국어"]),
    ("한국", &["한국"]),
    ("🚀", &["🚀"]),
    ("🚀🎉", &["🚀", "🎉"]),
    ("ｗｉｄｅ", &["wide"]),
    ("near", &["near"]),
    ("AND", &["and"]),
    ("or", &["or"]),
    ("NOT", &["not"]),
    ("body", &["body"]),
    ("scope user", &["scope", "user"]),
    ("flag", &["flag"]),
    ("drop table", &["drop", "table"]),
    ("42", &["42"]),
    ("e3b0c442", &["e3b0c442"]),
];

/// What stands between pieces and is no word.
pub(crate) const GAPS: &[&str] = &[
    " ", "\n", ", ", " (", ") ", "::", "\t", " - ", " \" ", "*", "\u{0}", " │ ", "…",
];

/// One message, as it is expected to be found.
#[derive(Debug)]
pub(crate) struct CorpusText {
    pub(crate) session: usize,
    pub(crate) seq: u64,
    pub(crate) ts: u64,
    pub(crate) role: Role,
    pub(crate) text: String,
    pub(crate) words: Vec<&'static str>,
}

#[derive(Debug)]
pub(crate) struct CorpusSession {
    pub(crate) id: SessionId,
    pub(crate) project_id: ProjectId,
    pub(crate) archived: bool,
}

/// Sessions with messages, in a home.
#[derive(Debug, Default)]
pub(crate) struct Corpus {
    pub(crate) sessions: Vec<CorpusSession>,
    pub(crate) texts: Vec<CorpusText>,
}

const ROLES: [Role; 4] = [
    Role::User,
    Role::Assistant,
    Role::ToolResult,
    Role::Internal,
];

impl Corpus {
    /// Times are few, so that many records have the same one.
    pub(crate) fn write(home: &SearchHome, dice: &mut SeededDice) -> Self {
        let mut corpus = Self::default();
        let projects = [ProjectId::generate(), ProjectId::generate()];
        for session in 0..40 {
            let project_id = projects[dice.index(0..2)];
            let mut log = home.log(project_id);
            let archived = dice.chance(25);
            let mut ts = 1_785_542_400_000 + STEP_MS * dice.roll(0..20);
            for _ in 0..dice.roll(1..40) {
                let (text, words) = text(dice);
                let role = ROLES[dice.index(0..4)];
                ts += STEP_MS * dice.roll(0..3);
                let seq = log.say(role, &text, ts).seq.get();
                corpus.texts.push(CorpusText {
                    session,
                    seq,
                    ts,
                    role,
                    text,
                    words,
                });
            }
            let changes = SessionChanges {
                archived: Some(archived),
                ..SessionChanges::default()
            };
            log.change(changes, ts);
            corpus.sessions.push(CorpusSession {
                id: log.id,
                project_id,
                archived,
            });
        }
        corpus
    }

    pub(crate) fn scanned(
        &self,
        archived: bool,
        project: Option<ProjectId>,
    ) -> Vec<SearchedSession> {
        let sessions = self.sessions.iter().filter(|session| {
            session.archived == archived && project.is_none_or(|id| id == session.project_id)
        });
        let scanned = sessions.map(|session| SearchedSession {
            session_id: session.id,
            project_id: session.project_id,
            title: None,
        });
        scanned.collect()
    }
}

fn text(dice: &mut SeededDice) -> (String, Vec<&'static str>) {
    let (mut text, mut words) = (String::new(), Vec::new());
    for _ in 0..dice.roll(1..12) {
        let (piece, of_piece) = PIECES[dice.index(0..PIECES.len())];
        text.push_str(piece);
        text.push_str(GAPS[dice.index(0..GAPS.len())]);
        words.extend_from_slice(of_piece);
    }
    (text, words)
}
