//! Results of commands.

use std::io;
use std::time::Duration;

use scorel_engine::ToolOutcome;
use scorel_exec::{EndCause, OutputWindow, Run, RunEnd, ShellExit};
use scorel_proto::Block;
use serde_json::{Map, Value, json};

use super::PlannedCommand;
use super::access::{Confinement, UNSANDBOXED};
use super::background::ReadPart;
use super::foreground::Watched;
use super::hidden_by_rules::HiddenGap;
use super::reached_limit;
use super::stopped::{self, Denial, SandboxFacts};
use crate::error::{ErrorCode, ToolError};
use scorel_engine::BlobSink;

/// The head of the output in a result, in bytes.
const HEAD: usize = 10_000;

/// The tail of the output in a result, in bytes. Larger than the head: errors come last.
const TAIL: usize = 20_000;

/// The result of a foreground command. Blocks while a long output is stored.
pub(super) fn ended(
    run: &Run,
    watched: &Watched,
    confinement: &Confinement,
    planned: &PlannedCommand,
    blobs: &dyn BlobSink,
) -> ToolOutcome {
    if let Some(EndCause::NotStarted(message)) = watched.end.as_ref().map(|end| &end.cause) {
        let error = ToolError::new(ErrorCode::CommandNotStarted, format!("not run: {message}"));
        return error.into();
    }
    let window = run.window(HEAD, TAIL);
    let (bytes, lines) = run.counts();
    let error = error(watched, planned.timeout);
    let denial = match watched.end.as_ref() {
        Some(end) if !watched.cancelled => {
            denial(confinement.facts(&planned.path).as_ref(), end, &window)
        }
        _ => None,
    };
    let mut notes = Vec::new();
    notes.extend(error.as_ref().map(|error| error.message.clone()));
    notes.extend(denial.as_ref().map(Denial::note));
    notes.extend(left_running(watched));
    notes.extend(watched.end.as_ref().and_then(|end| put_back(&end.restored)));
    notes.extend(confinement_notes(confinement, "ran unsandboxed"));
    let mut details = end_details(watched.end.as_ref());
    details.extend(confinement_details(confinement, denial.as_ref()));
    details.insert("bytes".to_owned(), bytes.into());
    details.insert("lines".to_owned(), lines.into());
    details.insert("droppedBytes".to_owned(), window.omitted_bytes.into());
    details.insert("droppedLines".to_owned(), window.omitted_lines.into());
    if window.omitted_bytes > 0 {
        match stored(run, blobs) {
            Ok(output) => details.extend(output.map(|output| ("output".to_owned(), output))),
            Err(error) => {
                notes.push(format!(
                    "the omitted part is lost, it could not be stored: {error}"
                ));
                details.insert("outputProblem".to_owned(), error.to_string().into());
            }
        }
    }
    outcome(noted(shown(&window), &notes), error, details)
}

/// The result of starting a background command.
pub(super) fn started(id: &str, confinement: &Confinement) -> ToolOutcome {
    let text = format!("Started in the background as {id}. See its output with BashOutput.");
    let notes = confinement_notes(confinement, "runs unsandboxed");
    let mut details = Map::new();
    details.insert("id".to_owned(), id.into());
    details.insert("background".to_owned(), true.into());
    details.extend(confinement_details(confinement, None));
    outcome(noted(text, &notes), None, details)
}

/// A part of a background command's output.
pub(super) fn section(id: &str, part: &ReadPart) -> ToolOutcome {
    let section = &part.section;
    let end = &part.end;
    let next = section.from + section.bytes.len() as u64;
    let mut notes = Vec::new();
    if section.lost > 0 {
        notes.push(format!(
            "{} bytes before this are not kept any more",
            section.lost
        ));
    }
    if next < section.total {
        let left = section.total - next;
        notes.push(format!(
            "{left} bytes more: call again, or with sinceBytes {next}"
        ));
    }
    notes.push(state(end.as_ref()));
    let window = OutputWindow {
        head: section.bytes.clone(),
        ..OutputWindow::default()
    };
    let end_shown = end.as_ref().filter(|_| next == section.total);
    let denial = end_shown.and_then(|end| denial(part.facts.as_ref(), end, &window));
    notes.extend(denial.as_ref().map(Denial::note));
    notes.extend(put_back(&part.restored));
    let error = end.as_ref().and_then(unsupervised);
    notes.extend(error.as_ref().map(|error| error.message.clone()));
    let mut details = Map::new();
    details.extend(denial_details(denial.as_ref()));
    details.insert("id".to_owned(), id.into());
    details.insert("running".to_owned(), end.is_none().into());
    details.insert("fromByte".to_owned(), section.from.into());
    details.insert("nextByte".to_owned(), next.into());
    details.insert("lostBytes".to_owned(), section.lost.into());
    details.insert("bytes".to_owned(), section.total.into());
    details.extend(end_details(end.as_ref()));
    if !part.restored.is_empty() {
        details.insert("restored".to_owned(), json!(part.restored));
    }
    outcome(noted(shown(&window), &notes), error, details)
}

/// The result of stopping a background command.
pub(super) fn stopped(id: &str, run: &Run, had_ended: bool) -> ToolOutcome {
    let end = run.ended();
    let text = match (&end, had_ended) {
        (Some(_), true) => format!("{id} had ended already: {}", state(end.as_ref())),
        (Some(_), false) => format!("{id} was ended."),
        (None, _) => format!("{id} was asked to end and still runs."),
    };
    let error = end.as_ref().and_then(unsupervised);
    let mut notes = Vec::from_iter(put_back(&run.restored()));
    notes.extend(error.as_ref().map(|error| error.message.clone()));
    let mut details = Map::new();
    details.insert("id".to_owned(), id.into());
    details.insert("running".to_owned(), end.is_none().into());
    details.extend(end_details(end.as_ref()));
    outcome(noted(text, &notes), error, details)
}

fn error(watched: &Watched, timeout: Option<Duration>) -> Option<ToolError> {
    if watched.cancelled {
        let message = "cancelled; this is the output so far";
        return Some(ToolError::new(ErrorCode::Cancelled, message));
    }
    let end = watched.end.as_ref()?;
    if let Some(error) = unsupervised(end) {
        return Some(error);
    }
    if let Some(limit) = &end.limit {
        let message = reached_limit::sentence(limit);
        return Some(ToolError::new(ErrorCode::LimitReached, message));
    }
    let failed = |message: String| Some(ToolError::new(ErrorCode::CommandFailed, message));
    match (&end.cause, end.exit) {
        (EndCause::TimedOut, _) => {
            let limit = timeout.unwrap_or_default().as_millis();
            let message = format!("ended at the time limit of {limit} ms");
            Some(ToolError::new(ErrorCode::TimedOut, message))
        }
        (EndCause::Stopped, _) => failed("stopped".to_owned()),
        (EndCause::SupervisorLost, _) => failed("the command's supervisor was killed".to_owned()),
        (_, Some(ShellExit::Code(0))) => None,
        (_, Some(ShellExit::Code(code))) => failed(format!("exit code {code}")),
        (_, Some(ShellExit::Signal(signal))) => failed(format!("ended by signal {signal}")),
        (_, None) => failed("it is not known how the command ended".to_owned()),
    }
}

/// Possible denials of the sandbox, for a command that ended by itself.
fn denial(facts: Option<&SandboxFacts>, end: &RunEnd, window: &OutputWindow) -> Option<Denial> {
    if end.cause != EndCause::Exited {
        return None;
    }
    let last = if window.tail.is_empty() {
        &window.head
    } else {
        &window.tail
    };
    stopped::find(facts?, end.exit?, &String::from_utf8_lossy(last))
}

fn denial_details(denial: Option<&Denial>) -> Option<(String, Value)> {
    let denial = serde_json::to_value(denial?).ok()?;
    Some(("sandboxDenied".to_owned(), denial))
}

/// The place that kept the command, and what it may have denied.
fn confinement_details(confinement: &Confinement, denial: Option<&Denial>) -> Map<String, Value> {
    let mut details = Map::new();
    details.insert("sandbox".to_owned(), confinement.name.into());
    details.extend(denial_details(denial));
    if let Some(gap) = confinement.unhidden {
        details.insert("unhidden".to_owned(), json!(gap));
    }
    let left_out = confinement.left_out.iter();
    let left_out: Vec<_> = left_out.map(|it| it.to_string_lossy()).collect();
    if !left_out.is_empty() {
        details.insert("leftOut".to_owned(), json!(left_out));
    }
    details
}

fn confinement_notes(confinement: &Confinement, unsandboxed: &str) -> Vec<String> {
    let mut notes = Vec::from_iter(confinement.unhidden.map(HiddenGap::note));
    let left_out = confinement.left_out.iter();
    let left_out: Vec<_> = left_out.map(|it| it.display().to_string()).collect();
    if !left_out.is_empty() {
        let places = left_out.join(", ");
        notes.push(format!(
            "the command could not write to {places}: a link leads there that a command may have made, \
             or it is hidden"
        ));
    }
    if confinement.name == UNSANDBOXED {
        notes.push(unsandboxed.to_owned());
    }
    notes
}

/// The error of a command that could not be supervised to its end, however it ended itself.
fn unsupervised(end: &RunEnd) -> Option<ToolError> {
    if end.problems.is_empty() {
        return None;
    }
    let problems = end.problems.join("; ");
    let message = format!(
        "the command may have left processes or changed protected files, since its supervisor failed: \
         {problems}"
    );
    Some(ToolError::new(ErrorCode::SupervisionFailed, message))
}

fn left_running(watched: &Watched) -> Option<String> {
    let end = watched.end.as_ref()?;
    let was_left = end.cause == EndCause::Exited && end.signalled > 0 && end.limit.is_none();
    was_left.then(|| {
        let count = end.signalled;
        format!("{count} processes that were left running were ended; use `background` for those")
    })
}

/// The note on protected files that were changed and put back.
fn put_back(restored: &[String]) -> Option<String> {
    if restored.is_empty() {
        return None;
    }
    let paths = restored.join(", ");
    Some(format!(
        "protected files were changed, and are as before again, if not said otherwise: {paths}; what was \
         there now ends in `.scorel-put-back`. To change them use Write or Edit, which the user is asked \
         to permit"
    ))
}

fn state(end: Option<&RunEnd>) -> String {
    let Some(end) = end else {
        return "running".to_owned();
    };
    if let Some(limit) = &end.limit {
        return reached_limit::sentence(limit);
    }
    match (&end.cause, end.exit) {
        (EndCause::NotStarted(message), _) => format!("not run: {message}"),
        (EndCause::TimedOut, _) => "ended at its time limit".to_owned(),
        (EndCause::Stopped, _) => "stopped".to_owned(),
        (EndCause::SupervisorLost, _) => "ended: its supervisor was killed".to_owned(),
        (_, Some(ShellExit::Code(code))) => format!("ended with exit code {code}"),
        (_, Some(ShellExit::Signal(signal))) => format!("ended by signal {signal}"),
        (_, None) => "ended".to_owned(),
    }
}

fn end_details(end: Option<&RunEnd>) -> Map<String, Value> {
    let mut details = Map::new();
    let Some(end) = end else { return details };
    let milliseconds = u64::try_from(end.duration.as_millis()).unwrap_or(u64::MAX);
    details.insert("durationMs".to_owned(), milliseconds.into());
    match end.exit {
        Some(ShellExit::Code(code)) => _ = details.insert("exitCode".to_owned(), code.into()),
        Some(ShellExit::Signal(signal)) => _ = details.insert("signal".to_owned(), signal.into()),
        None => {}
    }
    let timed_out = end.cause == EndCause::TimedOut;
    details.insert("timedOut".to_owned(), timed_out.into());
    details.insert("killedProcesses".to_owned(), end.signalled.into());
    if let Some(limit) = &end.limit {
        details.insert("limit".to_owned(), reached_limit::details(limit));
    }
    if end.unprotected {
        details.insert("unprotected".to_owned(), true.into());
    }
    if !end.restored.is_empty() {
        details.insert("restored".to_owned(), json!(end.restored));
    }
    if end.survivors > 0 {
        details.insert("survivors".to_owned(), end.survivors.into());
    }
    details
}

/// Stores the whole output for user interfaces. Does not wait for a full disk, as records do: the result,
/// which has the head and the tail, would be held up by what it can do without.
fn stored(run: &Run, blobs: &dyn BlobSink) -> io::Result<Option<Value>> {
    let Some((content, is_cut)) = run.whole_output()? else {
        return Ok(None);
    };
    let hash = blobs.store(&content)?;
    Ok(Some(
        json!({ "blob": hash, "bytes": content.len(), "truncated": is_cut }),
    ))
}

fn shown(window: &OutputWindow) -> String {
    let mut text = String::from_utf8_lossy(&window.head).into_owned();
    if window.omitted_bytes > 0 {
        end_line(&mut text);
        let (bytes, lines) = (window.omitted_bytes, window.omitted_lines);
        text.push_str(&format!(
            "[... {bytes} bytes with {lines} line ends left out ...]\n"
        ));
        text.push_str(&String::from_utf8_lossy(&window.tail));
    }
    if text.is_empty() {
        text.push_str("[no output]");
    }
    text
}

/// The text with a line for each note.
fn noted(mut text: String, notes: &[String]) -> String {
    for note in notes {
        end_line(&mut text);
        text.push_str(&format!("[{note}]"));
    }
    text
}

fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

fn outcome(text: String, error: Option<ToolError>, more: Map<String, Value>) -> ToolOutcome {
    let without_error = || ToolOutcome::success(String::new(), &());
    let mut outcome = error.map_or_else(without_error, ToolOutcome::from);
    if let Some(Value::Object(details)) = &mut outcome.details {
        details.extend(more);
    }
    ToolOutcome {
        content: vec![Block::text(text)],
        ..outcome
    }
}
