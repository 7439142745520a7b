//! What is stored where a process is ended at every step: nodes whose vectors and texts follow from their numbers.

/// The label of all nodes.
pub const LABEL: &str = "Chunk";
/// Where a node has its vector.
pub const VECTOR: &str = "embedding";
/// Where a node has its text.
pub const TEXT: &str = "text";

/// A node's properties.
pub mod properties {
    use super::{TEXT, VECTOR};
    use stratigraph::{Value, Vector};

    /// Of the vectors.
    pub const DIMENSIONS: usize = 8;

    const WORDS: [&str; 8] = [
        "layer", "graph", "vector", "heading", "entity", "level", "tag", "root",
    ];

    /// Those of the node that was created as the `number`th.
    #[must_use]
    pub fn of(number: u64) -> [(&'static str, Value); 3] {
        let mut random = fastrand::Rng::with_seed(number);
        let vector: Vec<f32> = (0..DIMENSIONS).map(|_| random.f32() - 0.5).collect();
        let words: Vec<&str> = (0..12)
            .map(|_| WORDS[random.usize(..WORDS.len())])
            .collect();
        let vector = Vector::new(vector).expect("all numbers are finite");
        [
            ("number", Value::from(number as i64)),
            (VECTOR, Value::Vector(vector)),
            (TEXT, Value::from(words.join(" "))),
        ]
    }
}
