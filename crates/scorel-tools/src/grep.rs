//! `Grep`: the lines that match a regular expression.

mod arguments;
mod hits;
mod line;
mod query;
mod report;
mod search;

use scorel_runtime::ToolSpec;
use serde_json::Value;

use crate::error::ToolError;
use crate::tool::{Call, Report, Tool};

use arguments::Arguments;
use query::Query;
use search::Search;

const DESCRIPTION: &str = "\
Searches file contents of the project with a regular expression (Rust syntax: no look-around, no \
backreferences; escape literal braces and dots). Mode `content` shows matching lines as \
path:line:text and context lines as path-line-text, `files` the paths of files with a match, \
`count` the matching lines per file. Results come in path order; a note in brackets at the end tells \
when there is more. Hidden files are included; binary files, links and what the project's ignore \
files exclude are left out unless `path` names the excluded file or directory.";

/// The tool.
#[derive(Debug)]
pub(crate) struct GrepTool;

impl Tool for GrepTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Grep".to_owned(),
            description: DESCRIPTION.to_owned(),
            parameters: crate::arguments::schema::<Arguments>(),
            read_only: true,
        }
    }

    fn run(&self, call: &Call, input: Value) -> Result<Report, ToolError> {
        let arguments: Arguments = crate::arguments::parse(input)?;
        let base = call
            .roots
            .locate(arguments.path.as_deref().unwrap_or("."))?;
        let query = Query::new(&arguments)?;
        let mut search = Search::new(call, &query, &arguments);
        search.run(&base)?;
        Ok(report::report(&base, query.mode(), &search.into_findings()))
    }
}
