use scorel_proto::ThinkingLevel;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Thinking levels that a model or a host accepts. `default` is never one of them: it sends nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ThinkingLevels(u8);

impl ThinkingLevels {
    pub const fn of(levels: &[ThinkingLevel]) -> Self {
        let (mut set, mut place) = (0, 0);
        while place < levels.len() {
            set |= bit(levels[place]);
            place += 1;
        }
        Self(set)
    }

    /// From least to most.
    pub fn iter(self) -> impl Iterator<Item = ThinkingLevel> {
        let all = ThinkingLevel::ALL.into_iter();
        all.filter(move |level| self.contains(*level))
    }

    pub const fn contains(self, level: ThinkingLevel) -> bool {
        self.0 & bit(level) != 0
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) const fn with(self, level: ThinkingLevel) -> Self {
        Self(self.0 | bit(level))
    }

    pub(crate) const fn without(self, level: ThinkingLevel) -> Self {
        Self(self.0 & !bit(level))
    }

    /// Returns whether there are degrees, and not only on and off.
    pub(crate) fn has_degrees(self) -> bool {
        self.without(ThinkingLevel::None).iter().count() > 1
    }

    /// The lowest accepted level that is not below `wanted`, else the highest. Providers reject levels
    /// that they do not have, and rounding up keeps the quality that was asked for.
    pub(crate) fn nearest(self, wanted: ThinkingLevel) -> ThinkingLevel {
        let mut enough = self.iter().filter(|level| *level as u8 >= wanted as u8);
        enough.next().or(self.iter().last()).unwrap_or(wanted)
    }

    /// The names, for people: `low, medium, high`.
    pub fn names(self) -> String {
        let names: Vec<&str> = self.iter().map(ThinkingLevel::name).collect();
        names.join(", ")
    }
}

const fn bit(level: ThinkingLevel) -> u8 {
    match level {
        ThinkingLevel::Default => 0,
        level => 1 << level as u8,
    }
}

/// The level with this name, in whatever case; `None` for names that are not levels here.
pub(crate) fn level_named(wanted: &str) -> Option<ThinkingLevel> {
    let named = wanted.to_ascii_lowercase().parse().ok();
    named.filter(|level| *level != ThinkingLevel::Default)
}

impl Serialize for ThinkingLevels {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for ThinkingLevels {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<ThinkingLevel>::deserialize(deserializer).map(|levels| Self::of(&levels))
    }
}

#[cfg(test)]
mod tests {
    use ThinkingLevel::{High, Low, Max, Medium, Minimal, None as Off, Xhigh};
    use scorel_proto::ThinkingLevel;

    use super::{ThinkingLevels, level_named};

    #[test]
    fn a_missing_level_becomes_the_next_higher_else_the_highest() {
        let levels = ThinkingLevels::of(&[High, Low]);
        let all = [Off, Minimal, Low, Medium, High, Xhigh, Max].map(|level| levels.nearest(level));
        assert_eq!(all, [Low, Low, Low, High, High, High, High]);
        assert_eq!(ThinkingLevels::default().nearest(Medium), Medium);
    }

    #[test]
    fn levels_are_listed_from_least_to_most_and_once() {
        let levels = ThinkingLevels::of(&[Max, Off, Xhigh, Minimal, Max, ThinkingLevel::Default]);
        let listed: Vec<_> = levels.iter().collect();
        assert_eq!(listed, [Off, Minimal, Xhigh, Max]);
        assert_eq!(levels.names(), "none, minimal, xhigh, max");
        assert!(!levels.contains(ThinkingLevel::Default));
    }

    #[test]
    fn levels_are_known_by_name_in_whatever_case() {
        for (name, level) in [
            ("none", Some(Off)),
            ("HIGH", Some(High)),
            ("default", None),
            ("ultra", None),
        ] {
            assert_eq!(level_named(name), level);
        }
    }

    #[test]
    fn on_and_off_are_no_degrees() {
        assert!(!ThinkingLevels::of(&[Off, High]).has_degrees());
        assert!(ThinkingLevels::of(&[Off, Low, High]).has_degrees());
    }
}
