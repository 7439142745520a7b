//! Which of two systems answers better: each judge sees each pair twice, once in either order, and does not know whose is
//! whose.
//!
//! | measure | what it is |
//! |---|---|
//! | `CRITERION_won` | the share of judges who say in both orders that the first system is better |
//! | `CRITERION_tied` | the share of those who say so of neither: in both orders, or of one in one order and not in the other |
//! | `CRITERION` | the win rate: won, and half of what is tied |
//! | `orders_agree` | the share of verdicts that are the same in both orders |
//!
//! Who always prefers what stands first has given a tie for every pair, and `orders_agree` tells it.

use std::collections::BTreeMap;

use serde_json::json;

use super::pool::each;
use super::{Given, Hearing, Judged, Jury, JuryError, Said, unmeasured};
use crate::extract::model::{Better, Criterion, Judging};

/// The answers of a system.
pub type System<'s> = (&'s str, &'s [Given]);

/// What two orders together say of the first of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Won,
    Tied,
    Lost,
}

impl Verdict {
    /// Of the verdict where it stood first, and of that where it stood second.
    fn of(first: Better, second: Better) -> Self {
        match (first, second) {
            (Better::First, Better::Second) => Self::Won,
            (Better::Second, Better::First) => Self::Lost,
            _ => Self::Tied,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Won => "won",
            Self::Tied => "tied",
            Self::Lost => "lost",
        }
    }
}

/// Whether both orders say the same of the two.
fn agree(first: Better, second: Better) -> bool {
    let turned = match second {
        Better::First => Better::Second,
        Better::Second => Better::First,
        Better::Equal => Better::Equal,
    };
    first == turned
}

impl Jury<'_> {
    /// Compares the answers of two systems to the questions that both have, by their ids. How many questions only one has is
    /// told, too.
    ///
    /// # Errors
    /// As [`judge`](Self::judge).
    pub fn compare(
        &self,
        set: &str,
        (one, other): (System<'_>, System<'_>),
        criteria: &[Criterion],
        told: &(dyn Fn(usize) + Sync),
    ) -> Result<(Judged, usize), JuryError> {
        self.check()?;
        let theirs: BTreeMap<&str, &Given> = other
            .1
            .iter()
            .map(|given| (given.posed.id.as_str(), given))
            .collect();
        let ours = one.1.iter();
        let pairs: Vec<(&Given, &Given)> = ours
            .filter_map(|given| Some((given, *theirs.get(given.posed.id.as_str())?)))
            .collect();
        let alone = one.1.len() + other.1.len() - 2 * pairs.len();
        let system = format!("{} over {}", one.0, other.0);
        let pair = |place: usize| {
            self.go_on()?;
            let (first, second) = pairs[place];
            let said = self.pair(&system, (first, second), criteria)?;
            let mut question = unmeasured(first);
            question.confidence = None;
            question.milliseconds = 0.0;
            Ok::<_, JuryError>((question, said))
        };
        let said = each(pairs.len(), self.threads, pair, told)?;
        Ok((self.judged((set, system.clone()), said), alone))
    }

    fn pair(
        &self,
        system: &str,
        (one, other): (&Given, &Given),
        criteria: &[Criterion],
    ) -> Result<Said, JuryError> {
        let mut hearing = Hearing::of(system, &one.posed.id);
        let mut verdicts: Vec<Vec<Verdict>> = vec![Vec::new(); criteria.len()];
        let mut agreed = Vec::new();
        // Who refuses what nothing answers is better than who answers it, and worse where something does.
        if let Some(verdict) = without_asking(one, other) {
            verdicts.iter_mut().for_each(|of_it| of_it.push(verdict));
        } else {
            for judge in &self.judges {
                let Some((first, second)) =
                    both_orders(&mut hearing, judge, (one, other), criteria)?
                else {
                    continue;
                };
                let mut said = serde_json::Map::new();
                for (place, criterion) in criteria.iter().enumerate() {
                    let ((first, why), (second, why_second)) = (&first[place], &second[place]);
                    let verdict = Verdict::of(*first, *second);
                    verdicts[place].push(verdict);
                    agreed.push(f64::from(agree(*first, *second)));
                    let name = criterion.name().to_owned();
                    let told = json!({"verdict": verdict.name(), "reasons": [why, why_second]});
                    said.insert(name, told);
                }
                hearing.judgement((judge, "pair"), said.into(), None);
            }
        }
        for (criterion, verdicts) in criteria.iter().zip(&verdicts) {
            let share = |wanted: Verdict| -> Vec<f64> {
                let are = verdicts.iter().map(|one| f64::from(*one == wanted));
                are.collect()
            };
            let (won, tied) = (share(Verdict::Won), share(Verdict::Tied));
            let rates = won.iter().zip(&tied).map(|(won, tied)| won + tied / 2.0);
            let rates: Vec<f64> = rates.collect();
            let name = criterion.name();
            hearing.mean(name, &rates);
            hearing.mean(format!("{name}_won"), &won);
            hearing.mean(format!("{name}_tied"), &tied);
        }
        hearing.mean("orders_agree", &agreed);
        Ok(hearing.said)
    }
}

/// Where one has no answer nobody is asked which is better.
fn without_asking(one: &Given, other: &Given) -> Option<Verdict> {
    let is_nothing = one.posed.nothing;
    match (one.is_answered(), other.is_answered()) {
        (true, true) => None,
        (false, false) => Some(Verdict::Tied),
        (is_answered, _) if is_answered == is_nothing => Some(Verdict::Lost),
        _ => Some(Verdict::Won),
    }
}

/// Verdicts with their reasons, criterion by criterion.
type Verdicts = Vec<(Better, String)>;

/// What a judge says of a pair in either order; nothing if one of them gives nothing of use, as one alone would say what
/// stands where, too.
fn both_orders(
    hearing: &mut Hearing<'_>,
    judge: &Judging,
    (one, other): (&Given, &Given),
    criteria: &[Criterion],
) -> Result<Option<(Verdicts, Verdicts)>, JuryError> {
    let question = &one.posed.text;
    let first = judge.better(criteria, question, (&one.answer, &other.answer));
    let first = hearing.take((judge, "pair"), first)?;
    let second = judge.better(criteria, question, (&other.answer, &one.answer));
    let second = hearing.take((judge, "pair"), second)?;
    Ok(first.zip(second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_both_orders_say_is_won() {
        use Better::{Equal, First, Second};
        for (first, second, verdict, is_agreed) in [
            (First, Second, Verdict::Won, true),
            (Second, First, Verdict::Lost, true),
            (Equal, Equal, Verdict::Tied, true),
            (First, First, Verdict::Tied, false),
            (Second, Second, Verdict::Tied, false),
            (First, Equal, Verdict::Tied, false),
            (Equal, First, Verdict::Tied, false),
        ] {
            assert_eq!(Verdict::of(first, second), verdict, "{first:?} {second:?}");
            assert_eq!(agree(first, second), is_agreed, "{first:?} {second:?}");
        }
    }

    #[test]
    fn who_answers_what_nothing_answers_has_lost() {
        let given = |answer: &str, nothing: bool| {
            let mut given = Given {
                answer: answer.to_owned(),
                ..Given::default()
            };
            given.posed.nothing = nothing;
            given
        };
        let verdict = |one: &str, other: &str, nothing: bool| {
            without_asking(&given(one, nothing), &given(other, nothing))
        };
        assert_eq!(verdict("a", "b", false), None);
        assert_eq!(verdict("", "", true), Some(Verdict::Tied));
        assert_eq!(verdict("a", "", false), Some(Verdict::Won));
        assert_eq!(verdict("", "b", false), Some(Verdict::Lost));
        assert_eq!(verdict("a", "", true), Some(Verdict::Lost));
        assert_eq!(verdict("", "b", true), Some(Verdict::Won));
    }
}
