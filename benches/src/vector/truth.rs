//! The right answers: every row scored, on all cores.

use anyhow::{Result, bail};
use stratigraph_vector::{Kernels, Rows};

/// How many rows a query asks for.
pub(super) const K: usize = 10;

/// The `K` nearest rows of each query, in no order.
pub(super) fn nearest(base: Rows<'_>, queries: Rows<'_>) -> Result<Vec<u32>> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut truth = vec![u32::MAX; queries.len() * K];
    let each = queries.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let parts: Vec<_> = truth
            .chunks_mut(each * K)
            .enumerate()
            .map(|(part, truth)| {
                scope.spawn(move || -> Result<()> {
                    let mut scores = vec![0.0; base.len()];
                    for (number, truth) in truth.chunks_exact_mut(K).enumerate() {
                        score(base, queries, part * each + number, &mut scores)?;
                        best(&scores, 0..base.len() as u32, truth);
                    }
                    Ok(())
                })
            })
            .collect();
        parts.into_iter().try_for_each(|part| match part.join() {
            Ok(done) => done,
            Err(_) => bail!("a thread that looked for the truth panicked"),
        })
    })?;
    Ok(truth)
}

/// One query against every row.
pub(super) fn score(
    base: Rows<'_>,
    queries: Rows<'_>,
    query: usize,
    scores: &mut [f32],
) -> Result<()> {
    let Some(query) = queries.row(query) else {
        bail!("there is no query {query}");
    };
    Ok(Kernels::best().dot_rows(query, base, scores)?)
}

/// Those of `rows` with the highest scores; what is left over of `best` is `u32::MAX`.
pub(super) fn best(scores: &[f32], rows: impl Iterator<Item = u32>, best: &mut [u32]) {
    let mut rows: Vec<u32> = rows.collect();
    if rows.len() > best.len() {
        rows.select_nth_unstable_by(best.len() - 1, |left, right| {
            scores[*right as usize].total_cmp(&scores[*left as usize])
        });
        rows.truncate(best.len());
    }
    best.fill(u32::MAX);
    best[..rows.len()].copy_from_slice(&rows);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_truth_is_what_sorting_finds() {
        let mut random = fastrand::Rng::with_seed(3);
        let values: Vec<f32> = (0..500 * 16).map(|_| random.f32() - 0.5).collect();
        let base = Rows::new(&values, 16).unwrap();
        let queries = base.part(490, 10).unwrap();
        let truth = nearest(base, queries).unwrap();
        for (query, truth) in truth.chunks_exact(K).enumerate() {
            let mut scores = vec![0.0; 500];
            score(base, queries, query, &mut scores).unwrap();
            let mut sorted: Vec<u32> = (0..500).collect();
            sorted.sort_by(|a, b| scores[*b as usize].total_cmp(&scores[*a as usize]));
            let mut found = truth.to_vec();
            found.sort_unstable();
            sorted.truncate(K);
            sorted.sort_unstable();
            assert_eq!(found, sorted);
        }
    }

    #[test]
    fn fewer_rows_than_asked_for_are_filled_up() {
        let mut found = [0; 4];
        best(&[0.1, 0.9, 0.5], [1, 2].into_iter(), &mut found);
        assert_eq!(found, [1, 2, u32::MAX, u32::MAX]);
    }
}
