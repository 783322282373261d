//! `Grep`: searches file contents with a regular expression.

mod arguments;
mod found_lines;
mod hits;
mod line;
mod query;
mod report;
mod search;

use scorel_engine::{ToolClass, ToolSpec, parse_arguments};
use serde_json::Value;

use crate::error::ToolError;
use crate::file_plan::FilePlan;
use crate::session_files::SessionFiles;

pub use found_lines::{FoundLine, FoundLines, LineQuery};

use arguments::GrepArguments;
use query::Query;
use search::Search;

const DESCRIPTION: &str = "\
Searches file contents of the project with a regular expression (Rust syntax: no look-around, no \
backreferences; escape literal braces and dots). Mode `content` shows matching lines as \
path:line:text and context lines as path-line-text, `files` the paths of files with a match, \
`count` the number of matching lines per file. Results are sorted by path; a note in brackets at the end \
tells if there is more. Includes hidden files; omits binary files, links and what the project's ignore \
files exclude, unless `path` names the excluded file or directory.";

pub(crate) fn spec() -> ToolSpec {
    ToolSpec::of::<GrepArguments>("Grep", DESCRIPTION, ToolClass::Inspect).read_only()
}

pub(crate) fn plan(files: &SessionFiles, input: Value) -> Result<FilePlan, ToolError> {
    let arguments: GrepArguments = parse_arguments(input)?;
    let (effect, base) = files.plan_read(arguments.path.as_deref().unwrap_or("."))?;
    Ok(FilePlan::look(vec![effect], move |call| {
        let query = Query::new(&arguments)?;
        let mut search = Search::new(call, &query, &arguments);
        search.run(&base)?;
        Ok(report::report(&base, query.mode, &search.findings))
    }))
}
