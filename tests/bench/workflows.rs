//! The costs of workflow runs. What a daemon without runs costs is in the group `hooks`, beside an older build.

mod calls;
mod check;
mod package;
mod resume;
mod run_stand;

use std::path::Path;

use crate::figure::Figure;

pub(crate) async fn measure(program: &Path) -> Vec<Figure> {
    let mut figures = calls::measure(program).await;
    figures.push(resume::measure(program).await);
    figures.push(check::measure());
    figures
}
