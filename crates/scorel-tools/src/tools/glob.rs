//! `Glob`: the files and directories whose paths match a pattern.

mod first;
mod pattern;

use std::num::NonZeroU64;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use schemars::JsonSchema;
use scorel_runtime::{Planned, ToolClass, ToolSpec, parse_arguments};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::call::Call;
use crate::details::{is_zero, kept_back};
use crate::error::{ErrorCode, ToolError};
use crate::file_tool::FileTool;
use crate::page::Page;
use crate::report::Report;
use crate::roots::{EntryKind, Location};
use crate::session_files::SessionFiles;
use crate::walk::{Found, FoundKind, Scanned, scan};

use first::First;
use pattern::Pattern;

/// How many entries a call shows if it does not say.
const DEFAULT_LIMIT: u64 = 100;

const DESCRIPTION: &str = "\
Finds files and directories of the project by name. `*` matches within one path component, `**` any \
number of directories, `?` one character, `[a-z]` a set, `{a,b}` alternatives: `*` lists the top \
level, `src/*` one directory, `**/*.rs` all Rust files. Answers one path per line, relative to the \
project and in path order; directories end with `/`. Hidden files are included. What the project's \
ignore files exclude is left out unless `path` or the pattern begins with the excluded directory. A \
note in brackets at the end tells when there is more.";

/// The arguments of `Glob`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GlobArguments {
    /// The pattern, relative to `path`, such as `*`, `src/*` or `**/*.{ts,tsx}`.
    pattern: String,
    /// The directory to look in. Default: the project.
    path: Option<String>,
    /// How many paths to show at most. Default 100.
    limit: Option<NonZeroU64>,
    /// How many matching paths to leave out first, to see the next page of a long list. Default 0.
    offset: Option<u64>,
}

/// The figures of a call.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct GlobFigures {
    path: String,
    /// How many paths the model got.
    shown: u64,
    /// How many match; at least, where `exact` is false.
    total: u64,
    /// How many matching paths permission rules keep from the model; not in `total`.
    #[serde(skip_serializing_if = "is_zero")]
    kept_back: u64,
    exact: bool,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
    /// What the model was told about the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct GlobTool;

impl FileTool for GlobTool {
    type Plan = GlobArguments;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<GlobArguments>("Glob", DESCRIPTION, ToolClass::Inspect).read_only()
    }

    fn plan(
        &self,
        files: &SessionFiles,
        input: Value,
    ) -> Result<Planned<GlobArguments>, ToolError> {
        let plan: GlobArguments = parse_arguments(input)?;
        let effects = vec![files.reading(plan.path.as_deref().unwrap_or("."))];
        Ok(Planned { effects, plan })
    }

    fn run(&self, call: &Call, arguments: GlobArguments) -> Result<Report, ToolError> {
        let path = arguments.path.as_deref().unwrap_or(".");
        let base = directory(call, call.files.roots.locate(path)?)?;
        let pattern = Pattern::new(&call.files.roots, &base, &arguments.pattern)?;
        let mut listing = Listing {
            call,
            page: Page::new(
                arguments.offset.unwrap_or(0),
                arguments.limit.map_or(DEFAULT_LIMIT, NonZeroU64::get),
            ),
            links_outside: 0,
            kept_back: 0,
            notes: Vec::new(),
            exact: true,
        };
        match call.files.roots.kind(pattern.start()) {
            Ok(EntryKind::Directory) => listing.walk(&pattern)?,
            Ok(_) => {}
            Err(error) if is_absence(error.code) => {}
            Err(error) => return Err(error),
        }
        Ok(listing.report(&base))
    }
}

/// The location, if it is a directory.
fn directory(call: &Call, location: Location) -> Result<Location, ToolError> {
    match call.files.roots.kind(&location)? {
        EntryKind::Directory => Ok(location),
        _ => Err(ToolError::new(
            ErrorCode::NotADirectory,
            format!("{location} is not a directory; leave `path` out or give a directory"),
        )),
    }
}

fn is_absence(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::NotFound | ErrorCode::NotADirectory)
}

/// What a scan has found so far.
#[derive(Debug)]
struct Matches {
    first: First,
    links_outside: u64,
    kept_back: u64,
}

/// Whether something that matches is an answer.
enum Wanted {
    Yes,
    No,
    LinkOutside,
    KeptBack,
}

fn wanted(call: &Call, pattern: &Pattern, path: &Path, kind: FoundKind) -> Wanted {
    let kind = match kind {
        FoundKind::Entry(kind) => kind,
        FoundKind::Link => match call.files.roots.kind(&pattern.start().descend(path)) {
            Ok(kind) => kind,
            Err(_) => return Wanted::LinkOutside,
        },
    };
    if pattern.only_directories() && kind != EntryKind::Directory {
        Wanted::No
    } else {
        Wanted::Yes
    }
}

/// The answer while it grows.
#[derive(Debug)]
struct Listing<'a> {
    call: &'a Call,
    page: Page,
    links_outside: u64,
    kept_back: u64,
    notes: Vec<String>,
    /// Whether everything was seen.
    exact: bool,
}

impl Listing<'_> {
    fn walk(&mut self, pattern: &Pattern) -> Result<(), ToolError> {
        let matches = Mutex::new(Matches {
            first: First::new(self.page.reach()),
            links_outside: 0,
            kept_back: 0,
        });
        let judged = self.call.filter_below(pattern.start())?;
        let (call, start) = (self.call, pattern.start());
        let scanned = scan(call, start, pattern.depth(), |path, kind| {
            if pattern.matches(path) {
                let is_kept_back = judged
                    .as_ref()
                    .is_some_and(|(below, filter)| !filter.may_read(&below.join(path)));
                let wanted = match wanted(call, pattern, path, kind) {
                    Wanted::Yes if is_kept_back => Wanted::KeptBack,
                    wanted => wanted,
                };
                let mut matches = matches.lock().unwrap_or_else(PoisonError::into_inner);
                match wanted {
                    Wanted::Yes => matches.first.offer(path, kind),
                    Wanted::No => {}
                    Wanted::KeptBack => matches.kept_back += 1,
                    Wanted::LinkOutside => matches.links_outside += 1,
                }
            }
        })?;
        let matches = matches.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.links_outside += matches.links_outside;
        self.kept_back += matches.kept_back;
        let (first, others) = matches.first.into_parts();
        for found in first {
            self.add(start, &found);
        }
        self.page.skip_many(others);
        self.note(&scanned);
        Ok(())
    }

    /// Says what was not seen.
    fn note(&mut self, scanned: &Scanned) {
        if let Some(interruption) = scanned.interruption {
            self.exact = false;
            self.notes.push(format!(
                "{} before everything was seen: other paths may match. Narrow `path` or the \
                 pattern.",
                interruption.reason()
            ));
        }
        if scanned.unreadable > 0 {
            self.exact = false;
            let count = scanned.unreadable;
            self.notes
                .push(format!("{count} places could not be read."));
        }
    }

    /// Counts a match and shows it where it is wanted and still there.
    fn add(&mut self, start: &Location, found: &Found) {
        if !self.page.wants_next() {
            // A name outside of the page is not looked at again: it is not shown.
            self.page.skip();
            return;
        }
        let location = start.descend(&found.path);
        match self.call.files.roots.kind(&location) {
            Ok(EntryKind::Directory) => self.page.offer("", &format!("{location}/\n")),
            Ok(_) => self.page.offer("", &format!("{location}\n")),
            // It went away, or was never there and a link led the walk astray.
            Err(_) => {}
        }
    }

    fn report(mut self, base: &Location) -> Report {
        if self.links_outside > 0 {
            self.notes.push(format!(
                "{} links that are broken or lead outside are left out.",
                self.links_outside
            ));
        }
        self.notes.extend(kept_back(self.kept_back));
        self.notes.insert(0, self.summary(base));
        self.notes.retain(|note| !note.is_empty());
        let hint = (!self.notes.is_empty()).then(|| self.notes.join(" "));
        let figures = GlobFigures {
            path: base.named(),
            shown: self.page.shown(),
            total: self.page.seen(),
            kept_back: self.kept_back,
            exact: self.exact,
            truncated: !self.exact || self.kept_back > 0 || self.page.shown() < self.page.seen(),
            next_offset: self.page.next_offset(),
            hint: hint.clone(),
        };
        let mut text = self.page.text().to_owned();
        if let Some(hint) = hint {
            text.push_str(&format!("[{hint}]\n"));
        }
        Report::new(text, &figures)
    }

    /// What the page is of the whole; empty where it is the whole.
    fn summary(&self, base: &Location) -> String {
        let (shown, total) = (self.page.shown(), self.page.seen());
        let at_least = if self.exact { "" } else { "at least " };
        if total == 0 {
            return format!("Nothing in {} matches.", base.place());
        }
        if shown == 0 {
            return format!("Only {at_least}{total} paths match; none is at this offset.");
        }
        let (from, to) = (self.page.offset() + 1, self.page.offset() + shown);
        match self.page.next_offset() {
            Some(next) => {
                format!("Paths {from} to {to} of {at_least}{total}. Continue with offset {next}.")
            }
            None if shown < total => format!("Paths {from} to {to} of {at_least}{total}."),
            None => String::new(),
        }
    }
}
