//! `Glob`: lists files and directories by pattern.

mod first;
mod pattern;

use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Mutex;

use schemars::JsonSchema;
use scorel_engine::{ToolClass, ToolOutcome, ToolSpec, parse_arguments};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::details::{is_zero, kept_back, noted};
use crate::error::{ErrorCode, ToolError};
use crate::file_plan::FilePlan;
use crate::locked::lock;
use crate::result_page::ResultPage;
use crate::root::RootName;
use crate::roots::{EntryKind, Location};
use crate::running_call::RunningCall;
use crate::session_files::SessionFiles;
use crate::walk::{Scanned, WalkEntryKind, scan};

use first::First;
use pattern::Pattern;

const DESCRIPTION: &str = "\
Finds files and directories of the project by name. `*` matches within one path component, `**` any \
number of directories, `?` one character, `[a-z]` a set, `{a,b}` alternatives: `*` lists the top \
level, `src/*` one directory, `**/*.rs` all Rust files. Returns one path per line, relative to the \
project or absolute outside of it, sorted by path; directories end with `/`. Includes hidden files. Omits what the project's \
ignore files exclude, unless `path` or the pattern starts with the excluded directory. A note in \
brackets at the end tells if there is more.";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GlobArguments {
    /// The pattern, relative to `path`, such as `*`, `src/*` or `**/*.{ts,tsx}`.
    pattern: String,
    /// The directory to search: relative to the project, or absolute. The user may be asked about one
    /// outside the project. Default: the project.
    path: Option<String>,
    /// The maximum number of paths to show. Default 100.
    limit: Option<NonZeroU64>,
    /// The number of matching paths to skip, for the next page of a long list. Default 0.
    offset: Option<u64>,
}

/// The `details` of a success.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct GlobFigures {
    path: String,
    shown: u64,
    /// Matching paths; a lower bound where `exact` is false.
    total: u64,
    /// Matching paths that permission rules withhold; not in `total`.
    #[serde(skip_serializing_if = "is_zero")]
    kept_back: u64,
    exact: bool,
    truncated: bool,
    next_offset: Option<u64>,
    /// The note in the text for the model.
    hint: Option<String>,
}

pub(crate) fn spec() -> ToolSpec {
    ToolSpec::of::<GlobArguments>("Glob", DESCRIPTION, ToolClass::Inspect).read_only()
}

pub(crate) fn plan(files: &SessionFiles, input: Value) -> Result<FilePlan, ToolError> {
    let arguments: GlobArguments = parse_arguments(input)?;
    let (effect, base) = files.plan_read(arguments.path.as_deref().unwrap_or("."))?;
    let mut effects = vec![effect];
    let mut pattern = Pattern::new(&files.roots, &base, &arguments.pattern)?;
    // An absolute pattern names a directory of its own.
    if pattern.start.root == RootName::System && base.root != RootName::System {
        let (effect, start) = files.plan_read(&pattern.start.named())?;
        effects.push(effect);
        pattern.start = start;
    }
    Ok(FilePlan::look(effects, move |call| {
        check_directory(call, &base)?;
        let mut listing = Listing {
            call,
            page: ResultPage::asked(arguments.offset, arguments.limit),
            links_outside: 0,
            kept_back: 0,
            notes: Vec::new(),
            exact: true,
        };
        match call.roots.kind(&pattern.start) {
            Ok(EntryKind::Directory) => listing.walk(&pattern)?,
            Ok(_) => {}
            Err(error) if is_absence(error.code) => {}
            Err(error) => return Err(error),
        }
        Ok(listing.report(&base))
    }))
}

fn check_directory(call: &RunningCall, location: &Location) -> Result<(), ToolError> {
    match call.roots.kind(location)? {
        EntryKind::Directory => Ok(()),
        _ => Err(ToolError::new(
            ErrorCode::NotADirectory,
            format!("{location} is not a directory; leave `path` out or give a directory"),
        )),
    }
}

fn is_absence(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::NotFound | ErrorCode::NotADirectory)
}

/// The fate of a match.
enum Wanted {
    Yes,
    No,
    LinkOutside,
    KeptBack,
}

fn wanted(call: &RunningCall, pattern: &Pattern, path: &Path, kind: WalkEntryKind) -> Wanted {
    let kind = match kind {
        WalkEntryKind::Entry(kind) => kind,
        WalkEntryKind::Link => match call.roots.kind(&pattern.start.join(path)) {
            Ok(kind) => kind,
            Err(_) => return Wanted::LinkOutside,
        },
    };
    if pattern.only_directories && kind != EntryKind::Directory {
        Wanted::No
    } else {
        Wanted::Yes
    }
}

/// Builds the result.
#[derive(Debug)]
struct Listing<'a> {
    call: &'a RunningCall,
    page: ResultPage,
    links_outside: u64,
    kept_back: u64,
    notes: Vec<String>,
    /// True if the walk was complete.
    exact: bool,
}

impl Listing<'_> {
    fn walk(&mut self, pattern: &Pattern) -> Result<(), ToolError> {
        let (call, start) = (self.call, &pattern.start);
        let judged = call.shown_below(start)?;
        let mut first = First::new(self.page.reach());
        let matches = Mutex::new((&mut *self, &mut first));
        let scanned = scan(call, start, pattern.depth, |path, kind| {
            if pattern.matches(path) {
                let is_kept_back = judged
                    .as_ref()
                    .is_some_and(|(below, shown)| !shown.may_show(&below.join(path)));
                let wanted = match wanted(call, pattern, path, kind) {
                    Wanted::Yes if is_kept_back => Wanted::KeptBack,
                    wanted => wanted,
                };
                let mut matches = lock(&matches);
                let (listing, first) = &mut *matches;
                match wanted {
                    Wanted::Yes => first.offer(path),
                    Wanted::No => {}
                    Wanted::KeptBack => listing.kept_back += 1,
                    Wanted::LinkOutside => listing.links_outside += 1,
                }
            }
        })?;
        let (first, others) = first.into_parts();
        for found in first {
            self.add(start, &found);
        }
        self.page.skip_many(others);
        self.note(&scanned);
        Ok(())
    }

    /// Notes what the scan could not see.
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

    /// Counts a match, and shows it if it is on the page and still exists.
    fn add(&mut self, start: &Location, found: &Path) {
        if !self.page.wants_next() {
            // Names outside the page are not stat'ed again, since they are not shown.
            self.page.skip();
            return;
        }
        let location = start.join(found);
        match self.call.roots.kind(&location) {
            Ok(EntryKind::Directory) => self.page.offer("", &format!("{location}/\n")),
            Ok(_) => self.page.offer("", &format!("{location}\n")),
            // It was removed, or the walk was led outside by a link that appeared meanwhile.
            Err(_) => {}
        }
    }

    fn report(mut self, base: &Location) -> ToolOutcome {
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
            shown: self.page.shown,
            total: self.page.seen,
            kept_back: self.kept_back,
            exact: self.exact,
            truncated: !self.exact || self.kept_back > 0 || self.page.shown < self.page.seen,
            next_offset: self.page.next_offset(),
            hint: hint.clone(),
        };
        noted(&self.page.text, hint.as_deref(), &figures)
    }

    /// The part of the result that the page shows; empty for all of it.
    fn summary(&self, base: &Location) -> String {
        let total = self.page.seen;
        let at_least = if self.exact { "" } else { "at least " };
        if total == 0 {
            return format!("Nothing in {} matches.", base.place());
        }
        if self.page.shown == 0 {
            return format!("Only {at_least}{total} paths match; none is at this offset.");
        }
        self.page
            .shown_part("Paths", &format!("{at_least}{total}"))
            .unwrap_or_default()
    }
}
