//! At which lists of candidates a side is measured, and its speed at the recall, which is read between them.
//!
//! The shortest list of a ladder that reaches the recall finds more than that, one side more than the other: whoever finds
//! more would be timed for more work. So the step of the ladder is made finer, both ends of what is left are measured, and
//! the speed is read off between them, as [`bench vector`](crate::vector) does.

use super::sheet::Cell;
use crate::measure::rounds::median;
use crate::vector::curve::{Point, around, at_recall};
use anyhow::Result;

/// What has to be reached.
pub(super) const RECALL: f64 = 0.95;
/// How long the list of candidates may be, from step to step.
const LISTS: [usize; 12] = [10, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512];
/// Of a step so many parts are told apart, unless they would be shorter than one.
const PARTS: usize = 4;

/// The list that just does not reach the recall and the one that does; the shortest one alone if that reaches it already,
/// the longest one if none does. What `recall_of` says instead of a recall is said of all of it.
pub(super) fn lists(
    mut recall_of: impl FnMut(usize) -> Result<std::result::Result<f64, String>>,
) -> Result<std::result::Result<Vec<usize>, String>> {
    let mut below = None;
    let mut above = None;
    for list in LISTS {
        match recall_of(list)? {
            Err(why) => return Ok(Err(why)),
            Ok(recall) if recall >= RECALL => {
                above = Some(list);
                break;
            }
            Ok(_) => below = Some(list),
        }
    }
    let (Some(mut low), Some(mut high)) = (below, above) else {
        return Ok(Ok(above.or(below).into_iter().collect()));
    };
    let part = ((high - low) / PARTS).max(1);
    while high - low > part {
        let middle = usize::midpoint(low, high);
        match recall_of(middle)? {
            Err(why) => return Ok(Err(why)),
            Ok(recall) if recall >= RECALL => high = middle,
            Ok(_) => low = middle,
        }
    }
    Ok(Ok(vec![low, high]))
}

/// The speed at the recall, read off the medians of all rounds, and the recall with the lists that it was read between. A
/// speed at a lower recall is none; a side that finds more with the shortest list has the speed of that.
pub(super) fn read_off(rounds: &[Vec<Point>]) -> (Cell, Cell) {
    let curve = medians(rounds);
    let (Some((below, above)), Some(speed)) = (
        around(&curve, RECALL),
        at_recall(&curve, RECALL, |point| point.qps_cpu),
    ) else {
        let most = curve.iter().map(|point| point.recall).fold(0.0, f64::max);
        let longest = curve.iter().map(|point| point.breadth).max();
        return (
            Cell::Told(format!("recall {most:.3} at most")),
            Cell::Noted(most, format!("list {}", longest.unwrap_or(0))),
        );
    };
    let recall = match below {
        Some(below) => Cell::Noted(
            RECALL,
            format!(
                "between lists {} and {}: {:.3} and {:.3}",
                below.breadth, above.breadth, below.recall, above.recall
            ),
        ),
        None if above.breadth == LISTS[0] => Cell::Noted(
            above.recall,
            format!("list {}, the shortest that was asked for", above.breadth),
        ),
        None => Cell::Noted(above.recall, format!("list {}", above.breadth)),
    };
    (Cell::Number(speed), recall)
}

/// The median of each number over all rounds, for each list: those that missed the recall count as well, lest the speed be
/// that of the lucky ones.
fn medians(rounds: &[Vec<Point>]) -> Vec<Point> {
    let lists = rounds.first().map_or(0, Vec::len);
    let points = (0..lists).map(|place| {
        let of = |number: fn(&Point) -> f64| {
            let numbers = rounds.iter().map(|round| number(&round[place]));
            median(&numbers.collect::<Vec<f64>>())
        };
        Point {
            breadth: rounds[0][place].breadth,
            recall: of(|point| point.recall),
            qps_cpu: of(|point| point.qps_cpu),
            qps_wall: of(|point| point.qps_wall),
            rows: of(|point| point.rows),
        }
    });
    points.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lists for a side whose recall begins to be reached with a list of that length, and how many it was asked for.
    fn chosen(reaches: usize) -> (Vec<usize>, usize) {
        let mut asked = 0;
        let found = lists(|list| {
            asked += 1;
            Ok(Ok(if list >= reaches { 0.951 } else { 0.949 }))
        });
        (found.unwrap().unwrap(), asked)
    }

    #[test]
    fn the_recall_is_reached_between_two_lists_that_are_near_each_other() {
        for reaches in 11..=512 {
            let (found, asked) = chosen(reaches);
            let [low, high] = found[..] else {
                panic!("{reaches}: {found:?}");
            };
            assert!(low < reaches && reaches <= high, "{reaches}: {found:?}");
            let step = LISTS.windows(2).find(|step| step[1] >= high).unwrap();
            let part = ((step[1] - step[0]) / PARTS).max(1);
            assert!(high - low <= part, "{reaches}: {found:?}");
            assert!(asked <= LISTS.len() + 3, "{reaches}: asked {asked} times");
        }
    }

    #[test]
    fn the_shortest_list_is_measured_alone_and_so_is_the_longest() {
        assert_eq!(chosen(1), (vec![10], 1));
        assert_eq!(chosen(10), (vec![10], 1));
        assert_eq!(chosen(600), (vec![512], LISTS.len()));
        let why = lists(|_| Ok(Err("no filter".into()))).unwrap();
        assert_eq!(why, Err("no filter".to_owned()));
    }

    fn curve(points: &[(usize, f64, f64)]) -> Vec<Point> {
        let point = |&(breadth, recall, qps_cpu): &(usize, f64, f64)| Point {
            breadth,
            recall,
            qps_cpu,
            qps_wall: qps_cpu,
            rows: 10.0,
        };
        points.iter().map(point).collect()
    }

    fn told(rounds: &[Vec<Point>]) -> (Option<f64>, f64, String) {
        let (speed, recall) = read_off(rounds);
        let speed = match speed {
            Cell::Number(speed) => Some(speed),
            _ => None,
        };
        let Cell::Noted(recall, note) = recall else {
            panic!("no recall");
        };
        (speed, recall, note)
    }

    #[test]
    fn speeds_are_read_at_the_same_recall() {
        // Halfway between two speeds whose logarithms are halfway; a busy round does not count.
        let rounds = [16_000.0, 1_600.0, 16_000.0]
            .map(|quick| curve(&[(40, 0.94, quick), (44, 0.96, quick / 4.0)]));
        let (speed, recall, note) = told(&rounds);
        assert!((speed.unwrap() - 8_000.0).abs() < 1e-6, "{speed:?}");
        assert_eq!(recall, RECALL);
        assert_eq!(note, "between lists 40 and 44: 0.940 and 0.960");
    }

    #[test]
    fn rounds_that_miss_the_recall_count_as_well() {
        let rounds =
            |most: [f64; 3]| most.map(|most| curve(&[(40, 0.94, 16_000.0), (44, most, 4_000.0)]));
        let (speed, _, note) = told(&rounds([0.949, 0.96, 0.97]));
        assert!((speed.unwrap() - 8_000.0).abs() < 1e-6, "{speed:?}");
        assert_eq!(note, "between lists 40 and 44: 0.940 and 0.960");
        let (speed, recall, note) = told(&rounds([0.949, 0.96, 0.948]));
        assert_eq!((speed, recall), (None, 0.949));
        assert_eq!(note, "list 44");
    }

    #[test]
    fn who_finds_more_with_the_shortest_list_has_the_speed_of_that() {
        let (speed, recall, note) = told(&[curve(&[(10, 0.99, 500.0)])]);
        assert_eq!((speed, recall), (Some(500.0), 0.99));
        assert_eq!(note, "list 10, the shortest that was asked for");
    }

    #[test]
    fn who_does_not_reach_the_recall_has_no_speed() {
        let (speed, recall, note) = told(&[curve(&[(512, 0.93, 500.0)])]);
        assert_eq!((speed, recall), (None, 0.93));
        assert_eq!(note, "list 512");
    }
}
