//! Speed against recall: the curve that a search list of growing length draws, and the speed at one recall.
//! `bench peers` reads its speeds off by it, too.

/// A pass over all queries that takes less is made again and again for so long, and the first one does not count: it
/// finds the processor idle and its caches empty.
pub(crate) const LONG_S: f64 = 0.02;

/// One search of all queries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    /// How many candidates are kept while searching; lists looked through, for inverted lists.
    pub(crate) breadth: usize,
    pub(crate) recall: f64,
    /// Queries per second of processor time.
    pub(crate) qps_cpu: f64,
    /// Queries per second of the wall clock.
    pub(crate) qps_wall: f64,
    /// How many rows a query got.
    pub(crate) rows: f64,
}

/// How many of the right rows were found: `truth` may be filled up with `u32::MAX`.
pub(super) fn hits(found: &[u32], truth: &[u32]) -> usize {
    found
        .iter()
        .filter(|row| **row != u32::MAX && truth.contains(row))
        .count()
}

/// The points between which a recall lies: the last one below it, unless the first point reaches it already, and the first
/// that does. Nothing if no point reaches it.
pub(crate) fn around(points: &[Point], recall: f64) -> Option<(Option<&Point>, &Point)> {
    let reached = points.iter().position(|point| point.recall >= recall)?;
    let below = reached.checked_sub(1).map(|place| &points[place]);
    Some((below, &points[reached]))
}

/// The speed at a recall: [between the points](around) that it lies between, the logarithm of the speed is taken as
/// straight over recall.
///
/// A first point that reaches it already counts as it is, which is the least the speed can be. Nothing
/// if no point reaches it.
pub(crate) fn at_recall(
    points: &[Point],
    recall: f64,
    speed: impl Fn(&Point) -> f64,
) -> Option<f64> {
    let (below, above) = around(points, recall)?;
    let Some(below) = below else {
        return Some(speed(above));
    };
    let part = (recall - below.recall) / (above.recall - below.recall);
    let (slow, quick) = (speed(above).ln(), speed(below).ln());
    Some((quick + part * (slow - quick)).exp())
}

/// The recall of the point with that breadth.
pub(super) fn recall_at(points: &[Point], breadth: usize) -> Option<f64> {
    let point = points.iter().find(|point| point.breadth == breadth)?;
    Some(point.recall)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(points: &[(f64, f64)]) -> Vec<Point> {
        let point = |(number, &(recall, qps)): (usize, &(f64, f64))| Point {
            breadth: number,
            recall,
            qps_cpu: qps,
            qps_wall: qps / 2.0,
            rows: 10.0,
        };
        points.iter().enumerate().map(point).collect()
    }

    #[test]
    fn between_two_points_the_logarithm_is_straight() {
        let points = curve(&[(0.8, 16_000.0), (0.9, 4_000.0), (1.0, 1_000.0)]);
        let found = at_recall(&points, 0.95, |point| point.qps_cpu).unwrap();
        assert!((found - 2_000.0).abs() < 1e-6, "{found}");
        let wall = at_recall(&points, 0.85, |point| point.qps_wall).unwrap();
        assert!((wall - 4_000.0).abs() < 1e-6, "{wall}");
        let exactly = at_recall(&points, 0.9, |point| point.qps_cpu).unwrap();
        assert!((exactly - 4_000.0).abs() < 1e-6, "{exactly}");
    }

    #[test]
    fn what_is_never_reached_is_nothing_and_what_is_passed_at_once_is_the_first_point() {
        let points = curve(&[(0.97, 5_000.0), (0.98, 3_000.0)]);
        assert_eq!(at_recall(&points, 0.99, |point| point.qps_cpu), None);
        assert_eq!(
            at_recall(&points, 0.95, |point| point.qps_cpu),
            Some(5_000.0)
        );
        assert_eq!(at_recall(&[], 0.95, |point| point.qps_cpu), None);
    }

    #[test]
    fn a_recall_lies_between_two_points_or_before_the_first() {
        let points = curve(&[(0.8, 3.0), (0.9, 2.0), (1.0, 1.0)]);
        let between = |recall| {
            let (below, above) = around(&points, recall)?;
            Some((below.map(|point| point.breadth), above.breadth))
        };
        assert_eq!(between(0.95), Some((Some(1), 2)));
        assert_eq!(between(0.9), Some((Some(0), 1)));
        assert_eq!(between(0.5), Some((None, 0)));
        assert_eq!(between(1.1), None);
    }

    #[test]
    fn a_curve_that_falls_back_is_read_where_it_first_gets_there() {
        let points = curve(&[(0.90, 8_000.0), (0.96, 4_000.0), (0.94, 2_000.0)]);
        let found = at_recall(&points, 0.95, |point| point.qps_cpu).unwrap();
        assert!(found > 4_000.0 && found < 8_000.0, "{found}");
    }

    #[test]
    fn padding_is_never_right() {
        assert_eq!(hits(&[3, 1, u32::MAX], &[1, 2, u32::MAX]), 1);
        assert_eq!(hits(&[], &[1]), 0);
    }
}
