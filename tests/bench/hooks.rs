//! The costs of hooks, and of a daemon that has none.

mod older_build;
mod round_trips;

use std::path::Path;

use crate::faulty_program::{self, FaultyProgram};
use crate::figure::Figure;

/// The variable that names a build of the daemon from before hooks.
const OLDER: &str = "SCOREL_BENCH_OLD";

pub(crate) async fn measure(program: &Path) -> Vec<Figure> {
    let mut figures = Vec::new();
    match std::env::var_os(OLDER) {
        Some(older) => figures.extend(older_build::measure(program, Path::new(&older)).await),
        None => println!("skipped: {OLDER} names no older build"),
    }
    figures.extend(round_trips::measure(program).await);
    figures.push(faulty_program::beside(program, FaultyProgram::Extension).await);
    figures
}
