//! Many queries at once are answered as they are one after the other.

mod shared;

use fastrand::Rng;
use shared::Space;
use stratigraph_vector::{Effort, IndexError, Metric, Query, Settings};

#[test]
fn each_gets_its_own_answer_in_its_own_place() {
    let mut random = Rng::with_seed(4);
    let space = Space::new(&mut random, 24);
    let vectors = space.vectors(&mut random, 3000);
    let asked = space.vectors(&mut random, 101);
    for threads in [1, 3] {
        let settings = Settings::new(24, Metric::Euclidean).threads(threads);
        let index = settings.memory_limit(16 << 20).build().unwrap();
        for (id, vector) in (0..).zip(&vectors) {
            index.insert(1 + id, id, vector).unwrap();
        }
        index.tend(3000);
        let efforts = [Effort::Breadth(20), Effort::Exact, Effort::Scan];
        let mut queries: Vec<Query<'_>> = (0..)
            .zip(&asked)
            .map(|(place, vector)| {
                let query = Query::new(vector, place % 7);
                query.effort(efforts[place % 3]).at(1500 + place as u64)
            })
            .collect();
        queries[40] = Query::new(&asked[40][1..], 3);
        let answers = index.search_many(&queries);
        assert_eq!(answers.len(), queries.len());
        assert!(matches!(answers[40], Err(IndexError::Vector(_))));
        for (query, answer) in queries.iter().zip(answers) {
            assert_eq!(answer, index.search(query));
        }
        assert!(index.search_many(&[]).is_empty());
    }
}
