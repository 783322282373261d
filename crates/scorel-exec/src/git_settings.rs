//! Settings in the text of one of git's configuration files.
//!
//! An own reader and not a library: it must find each setting that git finds, and where its text is, so
//! that single settings can be taken out. What it does not understand, git refuses too, or it counts as
//! a change that is not allowed.

use std::collections::HashSet;

mod harmless;
mod reader;
mod setting;

pub use setting::GitSetting;

/// In the configuration of every repository that git has made. Where it is lost, the file was overwritten
/// and not changed.
const VERSION: &str = "core.repositoryformatversion";

/// The text of a configuration after a command.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CheckedSettings {
    pub(crate) text: String,
    /// The settings of which a change is left out.
    pub(crate) refused: Vec<String>,
}

impl CheckedSettings {
    /// Takes over a command's changes of harmless settings. It found the text `before` and left `after`; the
    /// file has `current` by now.
    pub(crate) fn of(before: &str, after: &str, current: &str) -> Self {
        let refuse_all = |reason: &str| Self {
            text: current.to_owned(),
            refused: vec![reason.to_owned()],
        };
        let read = [before, after, current].map(GitSetting::read);
        let [
            Some(before_settings),
            Some(after_settings),
            Some(current_settings),
        ] = read
        else {
            return refuse_all("what git cannot read");
        };
        let has_version = |all: &[GitSetting]| all.iter().any(|it| it.name == VERSION);
        if has_version(&before_settings) && !has_version(&after_settings) {
            return refuse_all(VERSION);
        }
        let known: Vec<_> = before_settings
            .iter()
            .filter(|it| it.is_remote())
            .cloned()
            .collect();
        let split = |all: Vec<GitSetting>| split(all, &known);
        let (old, old_programs) = split(before_settings);
        let (new, new_programs) = split(after_settings);
        let is_same = same(&old_programs, &new_programs);
        // The file has them already if the supervisor was killed after it had taken them over.
        if is_same && (current == before || current == after) {
            return Self {
                text: after.to_owned(),
                refused: Vec::new(),
            };
        }
        let mut refused = Vec::new();
        if !is_same {
            let changed =
                missing(&old_programs, &new_programs).chain(missing(&new_programs, &old_programs));
            refused.extend(changed.map(|it| it.name.clone()));
            refused.sort_unstable();
            refused.dedup();
            if refused.is_empty() {
                return refuse_all("the order of settings");
            }
        }
        let gone: Vec<_> = missing(&old, &new).collect();
        let is_gone = |it: &GitSetting| gone.iter().any(|gone| gone.is(it));
        let dropped: Vec<_> = current_settings.into_iter().filter(is_gone).collect();
        Self {
            text: with(&without(current, &dropped), missing(&new, &old)),
            refused,
        }
    }
}

/// Splits off what is not harmless. A remote is known by a harmless URL, and by one that was there before.
fn split(all: Vec<GitSetting>, known: &[GitSetting]) -> (Vec<GitSetting>, Vec<GitSetting>) {
    let has_url = |it: &&GitSetting| {
        it.is_remote() && (it.is_harmless() || known.iter().any(|known| known.is(it)))
    };
    let with_url = all
        .iter()
        .filter(has_url)
        .filter_map(|it| it.subsection().map(str::to_owned));
    let remotes: HashSet<String> = with_url.collect();
    all.into_iter().partition(|it| {
        it.is_harmless()
            && it
                .remote_of_branch()
                .is_none_or(|name| remotes.contains(name))
    })
}

fn same(some: &[GitSetting], others: &[GitSetting]) -> bool {
    some.len() == others.len() && some.iter().zip(others).all(|(one, other)| one.is(other))
}

/// Those of `some` that are not among `others`.
fn missing<'a>(
    some: &'a [GitSetting],
    others: &'a [GitSetting],
) -> impl Iterator<Item = &'a GitSetting> {
    let is_missing = |it: &&GitSetting| !others.iter().any(|other| other.is(it));
    some.iter().filter(is_missing)
}

/// The text without these settings of it, which are in its order.
fn without(text: &str, settings: &[GitSetting]) -> String {
    let mut text = text.to_owned();
    for setting in settings.iter().rev() {
        text.replace_range(setting.span.clone(), "");
    }
    text
}

/// The text without the place of its work tree.
pub(crate) fn without_work_tree(text: &str) -> String {
    let mut settings = GitSetting::read(text).unwrap_or_default();
    settings.retain(GitSetting::is_work_tree);
    without(text, &settings)
}

/// The text with these settings at its end.
fn with<'a>(text: &str, settings: impl Iterator<Item = &'a GitSetting>) -> String {
    let mut text = text.to_owned();
    let mut last_header = String::new();
    let quoted = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"");
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:@+*".contains(letter);
    for setting in settings {
        let (section, key) = setting.parts();
        let header = match setting.subsection() {
            Some(subsection) => format!("{section} \"{}\"", quoted(subsection)),
            None => section.to_owned(),
        };
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        if header != last_header {
            text.push_str(&format!("[{header}]\n"));
            last_header = header;
        }
        match &setting.value {
            None => text.push_str(&format!("\t{key}\n")),
            Some(value) if value.chars().all(is_plain) => {
                text.push_str(&format!("\t{key} = {value}\n"));
            }
            Some(value) => {
                let value = quoted(value).replace('\n', "\\n").replace('\t', "\\t");
                text.push_str(&format!("\t{key} = \"{value}\"\n"));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "[core]\n\tbare = false\n\tpager = less\n[user]\n\tname = a\n";

    fn checked(after: &str, current: &str) -> (String, Vec<String>) {
        let CheckedSettings { text, refused } = CheckedSettings::of(BEFORE, after, current);
        (text, refused)
    }

    #[test]
    fn harmless_changes_are_taken_as_they_are_written() {
        for after in [
            BEFORE,
            "[core]\n\tbare = false\n\tpager = less\n",
            "[core] bare = true\n # text\n[core]\n\tpager = less\n[remote \"o\"]\n\turl = a:b\n",
        ] {
            assert_eq!(checked(after, BEFORE), (after.to_owned(), vec![]));
            // Once more, which adds nothing.
            assert_eq!(checked(after, after), (after.to_owned(), vec![]));
        }
    }

    #[test]
    fn changes_of_settings_that_run_programs_are_left_out() {
        let names = |after: &str| checked(after, BEFORE).1.join(" ");
        for (after, refused) in [
            ("[core]\n\tpager = evil\n", "core.pager"),
            ("[core]\n\tbare = false\n", "core.pager"),
            ("[core]\n\tpager = less\n\tfsmonitor\n", "core.fsmonitor"),
            ("[core]\n\tpager = less\n[alias]\n\tx = !y\n", "alias.x"),
            ("[core]\npager=less\n[a \"b.c\"]\nd=e", "a.b.c.d"),
            ("[core", "what git cannot read"),
        ] {
            assert_eq!(names(after), refused, "{after}");
        }
        let after = "[core]\n\tfsmonitor = x\n\tbare = true\n\tpager = y; z\n[user]\n\tname = b\n";
        let (text, _) = checked(after, BEFORE);
        let expected =
            "[core]\n\t\tpager = less\n[user]\n\t\n[core]\n\tbare = true\n[user]\n\tname = b\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn remotes_lead_to_other_machines() {
        for (url, is_harmless) in [
            ("https://example.org/x", true),
            ("git@example.org:x/y", true),
            ("ssh://h/x", true),
            ("/srv/x", false),
            ("../x", false),
            ("target/e.git", false),
            ("./a:b", false),
            ("file:///srv/x", false),
            ("evil://x", false),
            ("ext::sh -c x", false),
        ] {
            let after = format!("{BEFORE}[remote \"o\"]\n\tpushurl = {url}\n");
            let refused = checked(&after, BEFORE).1;
            assert_eq!(refused.is_empty(), is_harmless, "{url}: {refused:?}");
        }
    }

    #[test]
    fn a_branch_is_of_a_remote_with_a_url() {
        let remote = |url: &str| format!("{BEFORE}[remote \"o\"]\n\turl = {url}\n");
        let branch =
            |before: &str, name: &str| format!("{before}[branch \"b\"]\n\tremote = {name}\n");
        for (before, after, refused) in [
            (BEFORE, branch(BEFORE, "."), ""),
            (BEFORE, branch(BEFORE, "o"), "branch.b.remote"),
            (BEFORE, branch(&remote("h:x"), "o"), ""),
            (
                BEFORE,
                branch(&remote("target"), "o"),
                "branch.b.remote remote.o.url",
            ),
            (&remote("/mine"), branch(&remote("/mine"), "o"), ""),
            (
                &branch(&remote("h:x"), "o"),
                branch(BEFORE, "o"),
                "branch.b.remote",
            ),
            (&branch(&remote("h:x"), "o"), BEFORE.to_owned(), ""),
        ] {
            let checked = CheckedSettings::of(before, &after, before);
            assert_eq!(checked.refused.join(" "), refused, "{after}");
        }
        let both = branch(&remote("h:x"), "o");
        let without_url = CheckedSettings::of(&both, &branch(BEFORE, "o"), &both).text;
        assert!(!without_url.contains("remote ="), "{without_url}");
    }

    #[test]
    fn a_file_that_is_overwritten_is_no_change_of_settings() {
        let before = "[core]\n\trepositoryformatversion = 0\n[remote \"o\"]\n\turl = x\n";
        for after in ["", "x\n", "[user]\n\tname = a\n"] {
            let checked = CheckedSettings::of(before, after, before);
            assert_eq!(checked.text, before);
            assert_eq!(checked.refused, [VERSION]);
        }
    }

    #[test]
    fn what_changed_meanwhile_stays() {
        let current = format!("{BEFORE}[alias]\n\tmine = log\n");
        let after = BEFORE.replace("= a", "= b") + "[core]\n\teditor = x\n";
        let (text, refused) = checked(&after, &current);
        let settings = GitSetting::read(&text).unwrap();
        let find = |name: &str| settings.iter().find(|it| it.name == name);
        assert_eq!(find("user.name").unwrap().value.as_deref(), Some("b"));
        assert!(find("alias.mine").is_some() && find("core.editor").is_none());
        assert_eq!(refused, ["core.editor"]);
    }

    #[test]
    fn a_written_setting_is_read_again() {
        let value = " a\\b \"c\"\n\t;# ";
        let setting = GitSetting {
            name: "remote.a \"b\\.c.url".to_owned(),
            value: Some(value.to_owned()),
            span: 0..0,
        };
        let text = with("", std::iter::once(&setting));
        assert!(GitSetting::read(&text).unwrap()[0].is(&setting), "{text}");
    }
}
