//! Sets of the planner's rules: which of them a statement is planned by.
//!
//! Next: `bound.rs`.

use super::{RULES, Rule};

/// The rules that a statement is planned by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Rules(u32);

impl Rules {
    /// All of them.
    pub(crate) const ALL: Self = Self(u32::MAX);
    /// None: the plan follows the text.
    pub(crate) const NONE: Self = Self(0);

    /// The same but for one.
    pub(crate) fn without(self, rule: Rule) -> Self {
        Self(self.0 & !Self::bit(rule))
    }

    /// Whether a rule is applied.
    pub(crate) fn has(self, rule: Rule) -> bool {
        self.0 & Self::bit(rule) != 0
    }

    fn bit(rule: Rule) -> u32 {
        1 << (rule as u32)
    }
}

impl Rule {
    /// Every rule, in the order in which they are applied.
    pub fn all() -> impl Iterator<Item = Self> {
        RULES.iter().map(|(rule, _)| *rule)
    }

    /// Why it is there, in a sentence.
    #[must_use]
    pub fn why(self) -> &'static str {
        let mut rules = RULES.iter();
        let known = rules.find(|(rule, _)| *rule == self);
        known.map_or("", |(_, why)| why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_is_listed_once_with_a_reason_and_has_a_bit_of_its_own() {
        let mut seen = Vec::new();
        for rule in Rule::all() {
            assert!(!seen.contains(&rule), "{rule:?} is listed twice");
            assert!(rule.why().len() > 20, "{rule:?} has no reason");
            assert!((rule as u32) < 32, "{rule:?} has no bit");
            let others = Rules::ALL.without(rule);
            assert!(!others.has(rule) && Rules::ALL.has(rule) && !Rules::NONE.has(rule));
            assert!(seen.iter().all(|other| others.has(*other)));
            seen.push(rule);
        }
    }
}
