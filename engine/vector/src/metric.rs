//! What it means for two vectors to be near.

/// How two vectors are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Metric {
    /// The cosine of the angle between them; higher is nearer.
    Cosine,
    /// Their dot product; higher is nearer.
    Dot,
    /// The square of their Euclidean distance; lower is nearer.
    Euclidean,
}
