//! Manual pages of a program, written from the definition of its command line, so that a page says what
//! `--help` says. Packages have them; the programs write them with their hidden command `man`.

mod page;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Command;

use page::ManualPage;

/// The pages of one program: one of its own, and one for each of its commands.
#[derive(Debug)]
pub struct Manual {
    command: Command,
    see_also: &'static [&'static str],
    elsewhere: &'static [(&'static str, &'static str)],
}

impl Manual {
    /// The manual of the program that has this command line. Hidden commands are left out.
    pub fn new(command: Command) -> Self {
        let mut command = command.disable_help_subcommand(true);
        command.build();
        Self {
            command,
            see_also: &[],
            elsewhere: &[],
        }
    }

    /// Names the pages of related programs.
    #[must_use]
    pub const fn see_also(mut self, pages: &'static [&'static str]) -> Self {
        self.see_also = pages;
        self
    }

    /// Commands that another program runs: the command's page, and that of the other program, which it
    /// shows.
    #[must_use]
    pub const fn described_by(mut self, pages: &'static [(&'static str, &'static str)]) -> Self {
        self.elsewhere = pages;
        self
    }

    /// Writes all pages into a directory, which is created if it does not exist, and returns their paths.
    ///
    /// # Errors
    ///
    /// If the directory or a file cannot be written.
    pub fn write_to(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        fs::create_dir_all(directory)?;
        let mut written = Vec::new();
        self.write(&self.command, directory, &mut written)?;
        Ok(written)
    }

    fn write(
        &self,
        command: &Command,
        directory: &Path,
        written: &mut Vec<PathBuf>,
    ) -> io::Result<()> {
        let page = ManualPage::new(command);
        let path = directory.join(page.file_name());
        let name = page.name();
        let elsewhere = self.elsewhere.iter().find(|(own, _)| *own == name);
        let text = match elsewhere {
            Some((_, other)) => format!(".so man{0}/{other}.{0}\n", page::SECTION).into_bytes(),
            None => page.render(&self.related(command))?,
        };
        fs::write(&path, text)?;
        written.push(path);
        let commands = command.get_subcommands();
        commands
            .filter(|command| !command.is_hide_set())
            .try_for_each(|command| self.write(command, directory, written))
    }

    /// The pages that a page refers to. Those of its commands it lists itself.
    fn related(&self, command: &Command) -> Vec<String> {
        let mut pages = Vec::new();
        if command.get_name() != self.command.get_name() {
            pages.push(self.command.get_name().to_owned());
        }
        pages.extend(self.see_also.iter().map(|&page| page.to_owned()));
        pages
    }
}

#[cfg(test)]
mod tests {
    use clap::{Arg, ArgAction};

    use super::*;

    fn program() -> Command {
        Command::new("tool")
            .about("Does things")
            .subcommand(
                Command::new("add")
                    .about("Adds one")
                    .after_help(
                        "Exit codes:\n    0  Done.\n  130  Interrupted\n       before it was done.",
                    )
                    .arg(
                        Arg::new("force")
                            .long("force")
                            .help("Also if it is there")
                            .action(ArgAction::SetTrue),
                    ),
            )
            .subcommand(Command::new("config").about("Is elsewhere"))
            .subcommand(Command::new("secret").hide(true))
    }

    #[test]
    fn every_command_that_is_not_hidden_has_a_page() {
        let home = tempfile::tempdir().expect("a directory");
        let dir = home.path().join("new/man1");
        let manual = Manual::new(program())
            .see_also(&["toold"])
            .described_by(&[("tool-config", "toold-config")]);
        let mut names: Vec<String> = manual
            .write_to(&dir)
            .expect("written")
            .iter()
            .map(|path| {
                path.file_name()
                    .expect("a name")
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        assert_eq!(names, ["tool-add.1", "tool-config.1", "tool.1"]);
        let read = |name: &str| fs::read_to_string(dir.join(name)).expect(name);
        assert_eq!(read("tool-config.1"), ".so man1/toold-config.1\n");
        let page = read("tool-add.1");
        for part in [
            ".TH tool-add 1",
            concat!("\"Scorel ", env!("CARGO_PKG_VERSION"), "\""),
            "\\-\\-force",
            ".SH \"EXIT STATUS\"\n",
            "\\fB130\\fR\nInterrupted before it was done.",
            "\\fBtool\\fR(1), \\fBtoold\\fR(1)",
        ] {
            assert!(page.contains(part), "{part}:\n{page}");
        }
        assert!(!page.contains("EXTRA"), "{page}");
    }
}
