//! Searches the conversations of all projects.

use std::io;
use std::path::PathBuf;
use std::time::SystemTime;

use clap::Args;
use scorel_proto::{Role, Search, SearchHit, SearchMode, SearchParams, SearchResult};

use super::sessions::age;
use super::size_text::size_text;
use crate::args::one_of;
use crate::cli::Cli;
use crate::failure::Failure;
use crate::moment::parse_moment;
use crate::output::Output;
use scorel_screen::escape::one_line;

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// Words that all have to be there, in any order: also "a phrase", begin* and, behind `--`, -word for
    /// what must not be there. Quote them for the shell. With --regex, a regular expression
    #[arg(value_name = "QUERY", required = true)]
    pub(crate) query: Vec<String>,
    /// Search for a regular expression, in what tools wrote as well; reads all logs
    #[arg(long, short = 'e')]
    pub(crate) regex: bool,
    /// Only the sessions of this project directory [default: all projects]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Search archived sessions instead
    #[arg(long)]
    pub(crate) archived: bool,
    /// Only what this author wrote
    #[arg(long, value_name = "ROLE", value_parser = one_of(ROLES))]
    pub(crate) role: Option<Role>,
    /// Only since then: a day such as 2026-11-22, a time such as 2026-11-22T08:00:00Z, or an age such as
    /// 90m, 12h, 7d or 4w
    #[arg(long, value_name = "TIME", value_parser = parse_moment)]
    pub(crate) since: Option<u64>,
    /// The greatest number of hits
    #[arg(long, short = 'n', value_name = "N", default_value = "20",
        value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) limit: u32,
}

const ROLES: [(&str, &str, Role); 4] = [
    ("user", "The user", Role::User),
    ("assistant", "The model", Role::Assistant),
    ("tool", "A tool; only with --regex", Role::ToolResult),
    ("internal", "The daemon; only with --regex", Role::Internal),
];

/// The most hits that the daemon sends at once.
const PAGE: u32 = 200;

/// Bold, and not bold any more.
const HIGHLIGHT: (&str, &str) = ("\x1b[1m", "\x1b[22m");

pub(super) async fn run(args: &SearchArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let answer = search(args, cli).await?;
    let now = SystemTime::now();
    cli.result(&answer, |output| {
        let mut hits = answer.hits.iter();
        hits.try_for_each(|hit| print(hit, now, output))
    })?;
    if answer.hits.is_empty() {
        cli.note("nothing found")?;
    }
    if answer.next_cursor.is_some() {
        cli.note("there may be more; --limit prints more")?;
    }
    if answer.behind_bytes > 0 {
        let behind = size_text(answer.behind_bytes);
        cli.note(&format!(
            "{behind} of the logs are not in the index yet, so hits may be missing"
        ))?;
    }
    Ok(())
}

/// Collects pages until there are as many hits as wanted.
async fn search(args: &SearchArgs, cli: &mut Cli<'_>) -> Result<SearchResult, Failure> {
    let mut found = SearchResult::default();
    let Some(mut params) = params(args, cli).await? else {
        return Ok(found);
    };
    loop {
        let count = u32::try_from(found.hits.len()).unwrap_or(u32::MAX);
        params.limit = Some(args.limit.saturating_sub(count).clamp(1, PAGE));
        let page = cli.call::<Search>(&params).await?;
        found.hits.extend(page.hits);
        found.behind_bytes = page.behind_bytes;
        found.next_cursor = page.next_cursor;
        if found.next_cursor.is_none() || found.hits.len() >= args.limit as usize {
            return Ok(found);
        }
        params.cursor.clone_from(&found.next_cursor);
    }
}

/// `None` if the directory is not a project, so that it has no sessions.
async fn params(args: &SearchArgs, cli: &mut Cli<'_>) -> Result<Option<SearchParams>, Failure> {
    let mut params = SearchParams {
        query: args.query.join(" "),
        mode: if args.regex {
            SearchMode::Regex
        } else {
            SearchMode::Words
        },
        archived: Some(args.archived),
        role: args.role,
        since: args.since,
        ..SearchParams::default()
    };
    if let Some(directory) = &args.project {
        params.project_id = cli.project_id(Some(directory)).await?;
        if params.project_id.is_none() {
            return Ok(None);
        }
    }
    Ok(Some(params))
}

fn print(hit: &SearchHit, now: SystemTime, output: &mut Output) -> io::Result<()> {
    let title = hit.title.as_deref().map(one_line).unwrap_or_default();
    let author = match hit.role {
        None => "title",
        Some(Role::User) => "user",
        Some(Role::Assistant) => "assistant",
        Some(Role::ToolResult) => "tool",
        Some(Role::Internal) => "internal",
    };
    let age = age(hit.ts, now);
    output.line(&format!(
        "{}  {age:>4}  {author:<9}  {title}",
        hit.session_id
    ))?;
    let is_highlighted = output.out_is_terminal && output.styled;
    output.raw_line(&format!("    {}", snippet(hit, is_highlighted)))
}

/// The snippet with its matches highlighted. Its parts are escaped one by one: the highlight is not.
fn snippet(hit: &SearchHit, is_highlighted: bool) -> String {
    let (on, off) = if is_highlighted { HIGHLIGHT } else { ("", "") };
    let mut line = String::new();
    let mut done = 0;
    for [start, end] in &hit.ranges {
        let range = *start as usize..*end as usize;
        let before = hit.snippet.get(done..range.start);
        let (Some(before), Some(matching)) = (before, hit.snippet.get(range.clone())) else {
            break;
        };
        line.push_str(&format!(
            "{}{on}{}{off}",
            one_line(before),
            one_line(matching)
        ));
        done = range.end;
    }
    line.push_str(&one_line(hit.snippet.get(done..).unwrap_or_default()));
    line
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    fn hit(snippet: &str, ranges: &[[u32; 2]]) -> SearchHit {
        SearchHit {
            session_id: "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap(),
            title: Some("Fix\nit".to_owned()),
            project_id: "prj_01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap(),
            seq: scorel_proto::Seq::ZERO,
            event_id: "evt_01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap(),
            role: Some(Role::User),
            ts: 0,
            snippet: snippet.to_owned(),
            ranges: ranges.to_vec(),
        }
    }

    #[test]
    fn matches_are_highlighted_and_hostile_text_is_not_obeyed() {
        let hit = hit("é \u{202e}one two", &[[6, 9], [10, 13]]);
        let plain = "é ⟨202e⟩one two";
        assert_eq!(snippet(&hit, false), plain);
        let bold = "é ⟨202e⟩\x1b[1mone\x1b[22m \x1b[1mtwo\x1b[22m";
        assert_eq!(snippet(&hit, true), bold);
    }

    #[test]
    fn ranges_that_do_not_fit_are_ignored() {
        let hit = hit("é", &[[1, 2], [0, 9]]);
        assert_eq!(snippet(&hit, true), "é");
    }

    #[test]
    fn only_a_terminal_that_may_be_styled_gets_a_highlight() {
        let now = UNIX_EPOCH + Duration::from_secs(7200);
        for (terminal, styled) in [(true, true), (true, false), (false, true)] {
            let (mut output, captured) = Output::captured(terminal);
            output.styled = styled;
            print(&hit("one", &[[0, 3]]), now, &mut output).unwrap();
            let text = captured.out.text();
            let row = "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV    2h  user       Fix it\n";
            assert!(text.starts_with(row), "{text}");
            assert_eq!(text.contains('\x1b'), terminal && styled, "{text}");
        }
    }
}
