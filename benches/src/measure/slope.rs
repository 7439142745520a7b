//! How something grows: the slope of a line where both axes are logarithms. 0 does not grow, 1 grows with the size, 2 with
//! its square.

/// The slope of the line through the logarithms of sizes and times, by least squares.
pub(crate) fn slope(points: &[(usize, f64)]) -> f64 {
    let logs = points
        .iter()
        .map(|(size, time)| ((*size as f64).ln(), time.ln()));
    let logs: Vec<(f64, f64)> = logs.collect();
    let count = logs.len() as f64;
    let (x, y) = logs
        .iter()
        .fold((0.0, 0.0), |(x, y), one| (x + one.0, y + one.1));
    let (x, y) = (x / count, y / count);
    let up: f64 = logs.iter().map(|one| (one.0 - x) * (one.1 - y)).sum();
    let along: f64 = logs.iter().map(|one| (one.0 - x).powi(2)).sum();
    up / along
}

#[cfg(test)]
mod tests {
    use super::slope;

    #[test]
    fn slopes_are_those_of_powers() {
        for power in [0.0, 0.5, 1.0, 2.0_f64] {
            let points =
                [10_000, 100_000, 1_000_000].map(|size| (size, 3.0 * (size as f64).powf(power)));
            assert!((slope(&points) - power).abs() < 1e-9, "{power}");
        }
    }
}
