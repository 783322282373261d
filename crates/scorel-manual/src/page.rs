use std::io;

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, roman};

/// The section of the manual: programs that users run. The daemon is one of them, as it is not root's.
pub(crate) const SECTION: &str = "1";

/// With what the table of exit codes begins in the help text.
const EXIT_CODES: &str = "Exit codes:";

/// The page of one command.
pub(crate) struct ManualPage<'a> {
    command: &'a Command,
}

impl<'a> ManualPage<'a> {
    pub(crate) const fn new(command: &'a Command) -> Self {
        Self { command }
    }

    /// The name of the page, such as `scorelctl-send`.
    pub(crate) fn name(&self) -> String {
        let name = self.command.get_display_name();
        name.unwrap_or_else(|| self.command.get_name()).to_owned()
    }

    pub(crate) fn file_name(&self) -> String {
        format!("{}.{SECTION}", self.name())
    }

    pub(crate) fn render(&self, related: &[String]) -> io::Result<Vec<u8>> {
        let man = Man::new(self.command.clone())
            .title(self.name())
            .section(SECTION)
            .source(concat!("Scorel ", env!("CARGO_PKG_VERSION")))
            .manual("Scorel");
        let mut text = Vec::new();
        man.render_title(&mut text)?;
        man.render_name_section(&mut text)?;
        man.render_synopsis_section(&mut text)?;
        man.render_description_section(&mut text)?;
        man.render_options_section(&mut text)?;
        if self.command.get_subcommands().any(|it| !it.is_hide_set()) {
            man.render_subcommands_section(&mut text)?;
        }
        self.after_options(related).to_writer(&mut text)?;
        Ok(text)
    }

    /// The sections that clap does not know: what the help says at its end, and other pages.
    fn after_options(&self, related: &[String]) -> Roff {
        let mut roff = Roff::new();
        let help = self.command.get_after_help().map(ToString::to_string);
        for part in help.iter().flat_map(|help| help.split("\n\n")) {
            match part.trim().strip_prefix(EXIT_CODES) {
                Some(table) => exit_status(table, &mut roff),
                None if part.trim().is_empty() => {}
                None => _ = roff.control("SH", ["NOTES"]).text([roman(part.trim())]),
            }
        }
        if !related.is_empty() {
            let mut names: Vec<Inline> = Vec::new();
            for name in related {
                if !names.is_empty() {
                    names.push(roman(", "));
                }
                names.extend([bold(name), roman(format!("({SECTION})"))]);
            }
            roff.control("SH", ["SEE ALSO"]).text(names);
        }
        roff
    }
}

/// Lines of a code and its meaning, which may go on in lines that are indented further.
fn exit_status(table: &str, roff: &mut Roff) {
    roff.control("SH", ["EXIT STATUS"]);
    let mut rows: Vec<(String, String)> = Vec::new();
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let row = line.split_once("  ");
        let row = row.filter(|(codes, _)| codes.starts_with(|char: char| char.is_ascii_digit()));
        match (row, rows.last_mut()) {
            (Some((codes, meaning)), _) => {
                rows.push((codes.to_owned(), meaning.trim().to_owned()));
            }
            (None, Some((_, meaning))) => meaning.extend([" ", line]),
            (None, None) => _ = roff.text([roman(line)]),
        }
    }
    for (codes, meaning) in rows {
        roff.control("TP", [])
            .text([bold(codes)])
            .text([roman(meaning)]);
    }
}
