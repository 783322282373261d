//! The costs of servers of the Model Context Protocol. What a daemon without them costs is in the group `hooks`, beside an older build.

mod bare_server;
mod calls;
mod hanging;
mod installed;
mod many_tools;
mod memory;
mod to_request;

use std::path::Path;

use crate::faulty_program::{self, FaultyProgram};
use crate::figure::Figure;

pub(crate) async fn measure(program: &Path) -> Vec<Figure> {
    let mut figures = calls::measure(program).await;
    figures.extend(hanging::measure(program).await);
    figures.extend(many_tools::measure(program).await);
    figures.push(memory::measure(program).await);
    figures.push(faulty_program::beside(program, FaultyProgram::Server).await);
    figures
}
