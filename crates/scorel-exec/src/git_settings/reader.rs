//! The grammar of git's configuration files, as `config.c` of git reads them.

use std::iter::Peekable;
use std::str::CharIndices;

use super::setting::GitSetting;

impl GitSetting {
    /// The settings of a configuration in their order, without those of files that it includes. `None`
    /// for a text that git refuses, or that has NUL: git takes a name or a value to end there.
    pub fn read(text: &str) -> Option<Vec<Self>> {
        if text.contains('\0') {
            return None;
        }
        let body = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader = Reader {
            offset: text.len() - body.len(),
            end: text.len(),
            chars: body.char_indices().peekable(),
            settings: Vec::new(),
        };
        reader.read().map(|()| reader.settings)
    }
}

struct Reader<'a> {
    /// Where the characters begin in the text.
    offset: usize,
    /// The length of the text.
    end: usize,
    chars: Peekable<CharIndices<'a>>,
    settings: Vec<GitSetting>,
}

impl Reader<'_> {
    /// The next character; a line feed for the end of the text, and for one with a carriage return.
    fn next(&mut self) -> char {
        match self.chars.next() {
            Some((_, '\r')) if self.chars.peek().is_some_and(|(_, next)| *next == '\n') => {
                self.next()
            }
            Some((_, next)) => next,
            None => '\n',
        }
    }

    fn position(&mut self) -> usize {
        let next = self.chars.peek().map(|(index, _)| self.offset + index);
        next.unwrap_or(self.end)
    }

    fn read(&mut self) -> Option<()> {
        let mut section = String::new();
        loop {
            let start = self.position();
            if start == self.end {
                return Some(());
            }
            match self.next() {
                space if is_space(space) => {}
                '#' | ';' => while self.next() != '\n' {},
                '[' => section = self.section()?,
                letter if letter.is_ascii_alphabetic() => {
                    let (key, value) = self.setting(letter)?;
                    let name = match section.as_str() {
                        "" => key,
                        section => format!("{section}.{key}"),
                    };
                    let span = start..self.position();
                    self.settings.push(GitSetting { name, value, span });
                }
                _ => return None,
            }
        }
    }

    /// The rest of a header, after its bracket.
    fn section(&mut self) -> Option<String> {
        let mut name = String::new();
        let mut next = loop {
            match self.next() {
                ']' => return (!name.is_empty()).then_some(name),
                space if is_space(space) => break space,
                letter if is_key(letter) || letter == '.' => name.push(letter.to_ascii_lowercase()),
                _ => return None,
            }
        };
        while is_space(next) && next != '\n' {
            next = self.next();
        }
        if next != '"' {
            return None;
        }
        name.push('.');
        loop {
            match self.next() {
                '"' => break,
                '\n' => return None,
                '\\' => match self.next() {
                    '\n' => return None,
                    escaped => name.push(escaped),
                },
                other => name.push(other),
            }
        }
        (self.next() == ']').then_some(name)
    }

    /// The rest of a setting, after the first letter of its key, with the end of its line.
    fn setting(&mut self, first: char) -> Option<(String, Option<String>)> {
        let mut key = String::from(first.to_ascii_lowercase());
        let mut next = self.next();
        while is_key(next) {
            key.push(next.to_ascii_lowercase());
            next = self.next();
        }
        while matches!(next, ' ' | '\t') {
            next = self.next();
        }
        match next {
            '\n' => Some((key, None)),
            '=' => Some((key, Some(self.value()?))),
            _ => None,
        }
    }

    fn value(&mut self) -> Option<String> {
        let (mut value, mut is_quoted, mut is_comment) = (String::new(), false, false);
        // The length without unquoted blanks at the end.
        let mut length = 0;
        loop {
            let next = self.next();
            match next {
                '\n' if is_quoted => return None,
                '\n' => {
                    value.truncate(length);
                    return Some(value);
                }
                _ if is_comment => continue,
                space if is_space(space) && !is_quoted => {
                    if !value.is_empty() {
                        value.push(space);
                    }
                    continue;
                }
                ';' | '#' if !is_quoted => {
                    is_comment = true;
                    continue;
                }
                '\\' => match self.next() {
                    '\n' => continue,
                    't' => value.push('\t'),
                    'b' => value.push('\u{8}'),
                    'n' => value.push('\n'),
                    same @ ('\\' | '"') => value.push(same),
                    _ => return None,
                },
                '"' => {
                    is_quoted = !is_quoted;
                    continue;
                }
                other => value.push(other),
            }
            length = value.len();
        }
    }
}

/// As `isspace` of git.
fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '\r')
}

fn is_key(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '-'
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::process::{Command, Stdio};

    use super::*;

    /// The names and values that git finds in a text; `None` if it refuses it.
    fn by_git(text: &str) -> Option<String> {
        let mut git = Command::new("git")
            .args(["config", "--file", "-", "--list", "--null"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        git.stdin
            .take()
            .unwrap()
            .write_all(text.as_bytes())
            .unwrap();
        let output = git.wait_with_output().unwrap();
        let found = String::from_utf8(output.stdout).unwrap();
        output.status.success().then_some(found)
    }

    fn here(text: &str) -> Option<String> {
        let line = |it: GitSetting| match it.value {
            Some(value) => format!("{}\n{value}\0", it.name),
            None => format!("{}\0", it.name),
        };
        Some(GitSetting::read(text)?.into_iter().map(line).collect())
    }

    #[test]
    fn the_same_settings_are_found_as_by_git() {
        for text in [
            "",
            "[a]\nb=c",
            "[a]b=c",
            "[a]\r\nb = c\r\n",
            "[a]\nb = c\rd\n",
            "\u{feff}[a]\nb=c\n",
            "[A.B]\nC=d\n",
            "[a \"B.c\"]\n x-1 = y\n",
            "[a \"b\\\"c\\\\d\\e\"]\nk",
            "[a   \"b\"]k=v",
            "[a \"b\" ]\nk=v",
            "[a\n\"b\"]\nk=v",
            "[a \"\"]\nk=v",
            "[]\nk=v",
            "k=v\n",
            "[a]\n1k=v\n",
            "[a]\nk_=v\n",
            "[a]\nk v\n",
            "[a]\nk\t=v\n",
            "[a]\nk\n=v\n",
            "[a]\nk = \"v;w\" ; x\n",
            "[a]\nk = v # \"x\n",
            "[a]\nk = \"v\nw\"\n",
            "[a]\nk = v\\\n  w\n",
            "[a]\nk = v\\\r\n  w\n",
            "[a]\nk = \"v \"  w  \n",
            "[a]\nk = \\t\\n\\b\\\\\\\"\n",
            "[a]\nk = \\x\n",
            "[a]\nk = v\\",
            "[a]\nk = # c \\\nl = m\n",
            "[a]\nk =   \n[b]l\n",
            "[a]\nk = \u{e4} \u{3000}\n",
            "; c\n# d\n[a] # e\n; f\n k = v ;g",
            "[a]]\nk=v",
            "[a\u{e4}]\nk=v",
            "[a]\n\u{c}k=v",
            "[a \"b]\nk=v",
            "[a]\nk = \"a\"b\"c\"\n",
            "[a]\nk = ;\n",
            "[a]\nk = \"\"\n",
            "[a]\nk = a\t\tb \t\n",
        ] {
            assert_eq!(here(text), by_git(text), "{text:?}");
        }
    }

    #[test]
    fn a_text_with_nul_has_no_settings() {
        for text in [
            "[core \"fsmonitor\0\"]\nabbrev = x\n",
            "[a]\nb = c\0d\n",
            "#\0",
        ] {
            assert!(GitSetting::read(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn the_text_of_a_setting_is_its_own() {
        let text = "[a]b = c\\\n d\n\te = f ; g\nh";
        let spans: Vec<_> = GitSetting::read(text)
            .unwrap()
            .into_iter()
            .map(|it| it.span)
            .collect();
        let texts: Vec<_> = spans.into_iter().map(|span| &text[span]).collect();
        assert_eq!(texts, ["b = c\\\n d\n", "e = f ; g\n", "h"]);
    }
}
