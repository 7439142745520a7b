//! What a server says of its own memory in its metrics.

use anyhow::{Context, Result, ensure};

/// What its memory is for, and which metric tells how many bytes that takes.
pub(crate) const PARTS: [(&str, &str); 6] = [
    ("memory tables", "database_memtable_bytes"),
    ("cached blocks", "database_block_cache_bytes"),
    ("decoded texts", "database_text_cache_bytes"),
    ("sets of values", "database_value_set_bytes"),
    ("projections", "database_projection_cache_bytes"),
    ("vector indexes", "vector_index_memory_bytes"),
];

/// Bytes for each of [`PARTS`].
pub(crate) type ToldMemory = [u64; PARTS.len()];

/// Reads it from the text of all metrics.
pub(super) fn memory(metrics: &str) -> Result<ToldMemory> {
    let mut told = ToldMemory::default();
    for (bytes, (_, name)) in told.iter_mut().zip(PARTS) {
        *bytes = metric(metrics, name)?;
    }
    Ok(told)
}

/// The value of a metric, of all databases and indexes together. One that is not there is an error: it would look like
/// nothing.
pub(super) fn metric(metrics: &str, name: &str) -> Result<u64> {
    let begin = format!("stratigraph_{name}");
    let rests = metrics.lines().filter_map(|line| line.strip_prefix(&begin));
    // Behind it are labels or the value, or else it is another one's name.
    let rests = rests.filter(|rest| rest.starts_with(['{', ' ']));
    let values = rests.map(|rest| -> Result<u64> {
        let (_, value) = rest.rsplit_once(' ').context("a metric without a value")?;
        Ok(value.parse()?)
    });
    let values = values.collect::<Result<Vec<u64>>>()?;
    ensure!(!values.is_empty(), "no metric {name}");
    Ok(values.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    const METRICS: &str = "# TYPE stratigraph_database_memtable_bytes gauge
stratigraph_database_memtable_bytes{database=\"default\"} 1
stratigraph_database_block_cache_bytes{database=\"default\"} 20
stratigraph_database_text_cache_bytes{database=\"default\"} 300
stratigraph_database_value_set_bytes{database=\"default\"} 7
stratigraph_database_projection_cache_bytes{database=\"default\"} 4000
stratigraph_vector_index_memory_bytes{database=\"default\",index=\"meaning\"} 50000
stratigraph_vector_index_memory_bytes{database=\"default\",index=\"with spaces\"} 10000
# EOF
";

    #[test]
    fn all_indexes_are_one_part() {
        assert_eq!(memory(METRICS).unwrap(), [1, 20, 300, 7, 4000, 60_000]);
    }

    #[test]
    fn what_is_not_told_is_not_nothing() {
        let without = METRICS.replace("text_cache", "other");
        let error = memory(&without).unwrap_err();
        assert_eq!(error.to_string(), "no metric database_text_cache_bytes");
    }

    #[test]
    fn a_name_is_not_the_beginning_of_another() {
        let metrics = "stratigraph_queries_running 2\nstratigraph_queries_running_most 30\n";
        assert_eq!(metric(metrics, "queries_running").unwrap(), 2);
        assert!(metric(metrics, "queries").is_err());
    }
}
