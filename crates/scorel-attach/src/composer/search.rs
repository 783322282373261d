use super::history::History;

/// The search of the history, as Ctrl+R does it: the newest entry that contains what is typed.
#[derive(Debug, Default)]
pub struct Search {
    wanted: String,
    /// The entry that is shown, counted from the newest.
    found: Option<usize>,
}

impl Search {
    /// The text to look for.
    pub fn wanted(&self) -> &str {
        &self.wanted
    }

    /// The entry that was found.
    pub fn found<'a>(&self, history: &'a History) -> Option<&'a str> {
        history.newest(self.found?)
    }

    /// Handles a typed character.
    pub fn typed(&mut self, char: char, history: &History) {
        self.wanted.push(char);
        self.find(self.found.unwrap_or(0), history);
    }

    /// Handles Backspace.
    pub fn backspace(&mut self, history: &History) {
        self.wanted.pop();
        self.find(0, history);
    }

    /// Handles Ctrl+R again: the entry before. Stays if there is none.
    pub fn older(&mut self, history: &History) {
        let before = self.found;
        self.find(before.map_or(0, |found| found + 1), history);
        self.found = self.found.or(before);
    }

    fn find(&mut self, from: usize, history: &History) {
        let wanted = self.wanted.to_lowercase();
        let is_match = |text: &str| text.to_lowercase().contains(&wanted);
        let mut indexes = (from..).map_while(|index| Some((index, history.newest(index)?)));
        self.found = match wanted.is_empty() {
            true => None,
            false => indexes
                .find(|(_, text)| is_match(text))
                .map(|(index, _)| index),
        };
    }
}
