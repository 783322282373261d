use std::collections::BTreeMap;

/// The files of a package with their modes, as `ls -l` shows them.
#[derive(Debug, Default)]
pub(crate) struct PackageContents {
    files: BTreeMap<String, String>,
}

impl PackageContents {
    /// Reads a listing: a line begins with the mode and ends with the path, after `prefix`. Directories do
    /// not count.
    pub(crate) fn parse(listing: &str, prefix: &str) -> Self {
        let files = listing.lines().filter_map(|line| {
            let mode = line.split_whitespace().next()?;
            let path = line.split_whitespace().next_back()?;
            let path = path.strip_prefix(prefix);
            let path = path.unwrap_or_else(|| panic!("{line:?} is not below {prefix}"));
            (!mode.starts_with('d')).then(|| (path.to_owned(), mode.to_owned()))
        });
        Self {
            files: files.collect(),
        }
    }

    /// Takes out what every package has, below `units` the units and below `zsh` the completions of zsh;
    /// returns what else there is.
    pub(crate) fn others(mut self, units: &str, zsh: &str) -> Vec<String> {
        for program in ["scoreld", "scorelctl"] {
            self.take(&format!("bin/{program}"), "-rwxr-xr-x");
            self.take(&format!("share/man/man1/{program}.1.gz"), "-rw-r--r--");
        }
        for unit in ["scoreld.service", "scoreld.socket"] {
            self.take(&format!("{units}/{unit}"), "-rw-r--r--");
        }
        self.take(&format!("share/{zsh}/_scorelctl"), "-rw-r--r--");
        for file in [
            "share/bash-completion/completions/scorelctl",
            "share/fish/vendor_completions.d/scorelctl.fish",
            "share/doc/scorel/README.md",
        ] {
            self.take(file, "-rw-r--r--");
        }
        let pages =
            |path: &str| path.starts_with("share/man/man1/scorel") && path.ends_with(".1.gz");
        let all = self.files.len();
        self.files
            .retain(|path, mode| !(pages(path) && mode == "-rw-r--r--"));
        assert!(all - self.files.len() > 30, "a page for each command");
        self.files
            .into_iter()
            .map(|(path, mode)| format!("{mode} {path}"))
            .collect()
    }

    fn take(&mut self, path: &str, mode: &str) {
        let found = self.files.remove(path);
        assert_eq!(found.as_deref(), Some(mode), "{path} of {self:#?}");
    }
}
