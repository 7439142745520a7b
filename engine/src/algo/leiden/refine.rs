//! Refinement: each community is built again from single nodes, merging only what is well connected.
//!
//! A set is well connected in its community if the weight between it and the rest is at least what
//! the rule makes the two masses cost. Only nodes that are still alone merge, only into sets they
//! have an edge to, and only where the quality does not fall; so every refined set is connected and
//! lies inside one community. Which of the good sets a node joins is chosen at random, better ones
//! far more often: that is what lets a search leave a poor partition.
//!
//! Next: `level.rs`, which makes a node of each refined set.

use super::level::{EdgeWeights, Level};
use super::moving::VISITS_PER_LOOK;
use super::random::Random;
use super::rule::Rule;
use crate::error::Result;
use crate::storage::cancel::Watch;

/// The arrays of refinement, made once for the base.
pub(super) struct Refiner {
    order: Vec<u32>,
    /// The mass of each community.
    community_mass: Vec<f64>,
    sets: Vec<Set>,
    /// The weight from the visited node to each set; 0 outside a visit.
    weight_to: Vec<f64>,
    touched: Vec<u32>,
    choices: Vec<Choice>,
}

/// The sums over a refined set, which is named by the node it began with.
#[derive(Clone, Copy, Default)]
struct Set {
    mass: f64,
    /// The weight between the set and the rest of its community.
    outward: f64,
    /// Whether it is still the one node it began with.
    single: bool,
}

/// A set that the visited node may join.
#[derive(Clone, Copy)]
struct Choice {
    set: u32,
    gain: f64,
}

impl Refiner {
    pub(super) fn new(nodes: usize) -> Self {
        Self {
            order: vec![0; nodes],
            community_mass: vec![0.0; nodes],
            sets: vec![Set::default(); nodes],
            weight_to: vec![0.0; nodes],
            touched: Vec::with_capacity(nodes),
            choices: Vec::with_capacity(nodes),
        }
    }

    /// The refined set of each node, for communities that the local move has settled.
    pub(super) fn run<W: EdgeWeights>(
        &mut self,
        level: &Level<'_, W>,
        rule: &Rule,
        community: &[u32],
        random: &mut Random,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<u32>> {
        let nodes = level.nodes();
        self.begin(level, community);
        random.permutation(&mut self.order[..nodes]);
        let mut refined: Vec<u32> = (0..level.node_count()).collect();
        for visit in 0..nodes {
            if (visit as u64).is_multiple_of(VISITS_PER_LOOK) {
                watch.step("refine communities", visit as u64, nodes as u64)?;
            }
            let node = self.order[visit];
            let alone = self.sets[node as usize];
            let own = community[node as usize];
            let whole = self.community_mass[own as usize];
            if !alone.single || !well_connected(rule, &alone, whole) {
                continue;
            }
            for (target, weight) in level.neighbours(node) {
                if community[target as usize] == own {
                    let set = refined[target as usize];
                    let sum = &mut self.weight_to[set as usize];
                    if *sum == 0.0 {
                        self.touched.push(set);
                    }
                    *sum += weight;
                }
            }
            for &set in &self.touched {
                let sums = &self.sets[set as usize];
                let weight = self.weight_to[set as usize];
                let gain = weight - rule.scale * alone.mass * sums.mass;
                // Not by an edge of weight 0: that connects nothing.
                if gain >= 0.0 && weight > 0.0 && well_connected(rule, sums, whole) {
                    self.choices.push(Choice { set, gain });
                }
            }
            if let Some(set) = pick(&mut self.choices, rule.temperature, random) {
                let between = self.weight_to[set as usize];
                let sums = &mut self.sets[set as usize];
                sums.mass += alone.mass;
                // What lay between the two is inside now, and was counted from both.
                sums.outward += alone.outward - 2.0 * between;
                sums.single = false;
                self.sets[node as usize].single = false;
                refined[node as usize] = set;
            }
            self.choices.clear();
            for set in self.touched.drain(..) {
                self.weight_to[set as usize] = 0.0;
            }
        }
        Ok(refined)
    }

    fn begin<W: EdgeWeights>(&mut self, level: &Level<'_, W>, community: &[u32]) {
        let nodes = level.nodes();
        self.community_mass[..nodes].fill(0.0);
        for (&own, &mass) in community.iter().zip(level.mass) {
            self.community_mass[own as usize] += mass;
        }
        for node in 0..level.node_count() {
            let own = community[node as usize];
            let outward = level
                .neighbours(node)
                .map(|(target, weight)| {
                    // A product, because a branch that is hard to foresee costs more.
                    weight * f64::from(u8::from(community[target as usize] == own))
                })
                .sum();
            self.sets[node as usize] = Set {
                mass: level.mass[node as usize],
                outward,
                single: true,
            };
        }
    }
}

/// Whether the set has enough weight to the rest of its community, of mass `whole`.
#[inline]
fn well_connected(rule: &Rule, set: &Set, whole: f64) -> bool {
    set.outward >= rule.scale * set.mass * (whole - set.mass) - rule.tolerance
}

/// Chooses a set with probability in proportion to `exp(gain / temperature)`; staying alone gains 0
/// and is one of the choices. At temperature 0 the best wins, the first met in a tie.
#[inline]
fn pick(choices: &mut [Choice], temperature: f64, random: &mut Random) -> Option<u32> {
    let first = choices.first()?;
    let best = choices[1..].iter().fold(
        *first,
        |best, &next| if next.gain > best.gain { next } else { best },
    );
    if temperature == 0.0 {
        return Some(best.set);
    }
    // Relative to the best, so that nothing overflows; what is this much worse never happens.
    const HOPELESS: f64 = -40.0;
    let odds = |gain: f64| {
        let exponent = (gain - best.gain) / temperature;
        if exponent > HOPELESS {
            exponent.exp()
        } else {
            0.0
        }
    };
    let staying = odds(0.0);
    let mut total = staying;
    for choice in &mut *choices {
        choice.gain = odds(choice.gain);
        total += choice.gain;
    }
    let mut drawn = random.unit() * total;
    for choice in &*choices {
        drawn -= choice.gain;
        if drawn < 0.0 {
            return Some(choice.set);
        }
    }
    // Rounding may also end here where staying is hopeless.
    if staying > 0.0 { None } else { Some(best.set) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_picked_by_the_exponential_of_their_gain() {
        let gains = [0.5, 0.2, 0.5 + 0.3];
        let mut random = Random::new(1);
        let mut picked = [0u32; 4];
        let draws = 40_000;
        for _ in 0..draws {
            let mut choices: Vec<Choice> = (0..)
                .zip(gains)
                .map(|(set, gain)| Choice { set, gain })
                .collect();
            picked[pick(&mut choices, 0.3, &mut random).map_or(3, |set| set as usize)] += 1;
        }
        let odds = [0.5, 0.2, 0.8, 0.0].map(|gain: f64| (gain / 0.3).exp());
        let total: f64 = odds.iter().sum();
        for (times, odds) in picked.into_iter().zip(odds) {
            let expected = odds / total * f64::from(draws);
            // Five standard deviations are at most 500 of 40000.
            assert!((f64::from(times) - expected).abs() < 500.0, "{picked:?}");
        }
    }

    #[test]
    fn without_temperature_the_best_is_picked() {
        let mut random = Random::new(1);
        let mut choices = [(4, 0.0), (7, 2.0), (2, 2.0)].map(|(set, gain)| Choice { set, gain });
        assert_eq!(pick(&mut choices, 0.0, &mut random), Some(7));
        assert_eq!(pick(&mut [], 0.0, &mut random), None);
    }
}
