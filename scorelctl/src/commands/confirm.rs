use std::io::{self, IsTerminal};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// Asks the user a question that `y` answers with yes, and anything else with no.
pub(super) async fn confirm(question: &str, output: &mut Output) -> Result<(), Failure> {
    if output.json || !output.err_is_terminal || !io::stdin().is_terminal() {
        let message = "there is no terminal to ask on";
        return Err(Failure::usage(message).hint("pass --yes to go on without a question"));
    }
    output.aside(&format!("{question} [y/N] "))?;
    let read = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        io::stdin().read_line(&mut line).map(|_| line)
    });
    let line = read.await.map_err(io::Error::other)??;
    match line.trim().to_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Failure::new(
            Exit::Interrupted,
            "interrupted",
            "nothing was changed",
        )),
    }
}
