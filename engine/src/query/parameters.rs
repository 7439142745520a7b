//! The parameters of a query, by name.
//!
//! Next: `options.rs`.

use super::error::{Detail, Fault, raise};
use crate::error::Result as EngineResult;
use crate::value::{Value, write_entries};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use stratigraph_query_lang::nearest;

/// What the `$names` of a query stand for.
///
/// Whatever takes parameters takes `()`, arrays, vectors and maps as well:
///
/// ```
/// use stratigraph::{Parameters, Value};
///
/// let three = Parameters::from([("name", Value::from("Ann")), ("age", 7.into())]);
/// let three = three.with("friends", vec!["Bob", "Cleo"]);
/// assert_eq!(three.len(), 3);
/// assert_eq!(three.get("age").and_then(Value::as_int), Some(7));
/// assert!(Parameters::from(()).is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Parameters {
    values: BTreeMap<Arc<str>, Value>,
}

impl Parameters {
    /// No parameters.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The fields of a struct, or the entries of a map, with serde.
    ///
    /// ```
    /// use stratigraph::Parameters;
    ///
    /// #[derive(serde::Serialize)]
    /// struct Wanted {
    ///     name: String,
    ///     years: Vec<u16>,
    /// }
    /// let wanted = Wanted { name: "Ann".to_owned(), years: vec![2023, 2024] };
    /// let parameters = Parameters::from_serde(&wanted)?;
    /// assert_eq!(parameters.get("years").unwrap().to_string(), "[2023, 2024]");
    /// # Ok::<(), stratigraph::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoValue`](crate::Error::NoValue) for what has no names, and as [`Value::from_serde`].
    pub fn from_serde(fields: impl Serialize) -> EngineResult<Self> {
        let values = write_entries(fields)?;
        Ok(Self { values })
    }

    /// With one more. The last of a name wins.
    #[must_use]
    pub fn with(mut self, name: impl Into<Arc<str>>, value: impl Into<Value>) -> Self {
        self.insert(name, value);
        self
    }

    /// Adds one, and gives back what had that name.
    pub fn insert(&mut self, name: impl Into<Arc<str>>, value: impl Into<Value>) -> Option<Value> {
        self.values.insert(name.into(), value.into())
    }

    /// The value of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    /// The value of a name that a statement needs.
    pub(crate) fn needed(&self, name: &str) -> Result<&Value, Fault> {
        self.get(name).ok_or_else(|| {
            let message = format!("parameter `${name}` is not given");
            let fault = raise(Detail::MissingParameter, message);
            match nearest(name, self.iter().map(|(name, _)| name)) {
                Some(other) => fault.hint(format!("`{other}` is given: is it the same?")),
                None => fault,
            }
        })
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.values.iter().map(|(name, value)| (&**name, value))
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl From<()> for Parameters {
    fn from((): ()) -> Self {
        Self::default()
    }
}

impl From<&Parameters> for Parameters {
    fn from(parameters: &Parameters) -> Self {
        parameters.clone()
    }
}

impl<N: Into<Arc<str>>, V: Into<Value>, const COUNT: usize> From<[(N, V); COUNT]> for Parameters {
    fn from(pairs: [(N, V); COUNT]) -> Self {
        pairs.into_iter().collect()
    }
}

impl<N: Into<Arc<str>>, V: Into<Value>> From<Vec<(N, V)>> for Parameters {
    fn from(pairs: Vec<(N, V)>) -> Self {
        pairs.into_iter().collect()
    }
}

impl<N: Into<Arc<str>>, V: Into<Value>> From<BTreeMap<N, V>> for Parameters {
    fn from(pairs: BTreeMap<N, V>) -> Self {
        pairs.into_iter().collect()
    }
}

impl<N, V, S> From<std::collections::HashMap<N, V, S>> for Parameters
where
    N: Into<Arc<str>>,
    V: Into<Value>,
{
    fn from(pairs: std::collections::HashMap<N, V, S>) -> Self {
        pairs.into_iter().collect()
    }
}

impl<N: Into<Arc<str>>, V: Into<Value>> FromIterator<(N, V)> for Parameters {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Self {
        let pairs = pairs.into_iter();
        let values = pairs.map(|(name, value)| (name.into(), value.into()));
        Self {
            values: values.collect(),
        }
    }
}

impl<N: Into<Arc<str>>, V: Into<Value>> Extend<(N, V)> for Parameters {
    fn extend<I: IntoIterator<Item = (N, V)>>(&mut self, pairs: I) {
        for (name, value) in pairs {
            self.insert(name, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_come_from_many_shapes_and_the_last_of_a_name_wins() {
        let shown = |parameters: Parameters| {
            let shown: Vec<String> = parameters
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            shown.join(" ")
        };
        assert_eq!(shown(().into()), "");
        assert_eq!(shown([("b", 2), ("a", 1), ("b", 3)].into()), "a=1 b=3");
        assert_eq!(shown(vec![("a".to_owned(), "x")].into()), "a='x'");
        assert_eq!(shown(BTreeMap::from([("a", 1.5)]).into()), "a=1.5");
        let map = std::collections::HashMap::from([("a", Value::Null)]);
        assert_eq!(shown(map.into()), "a=null");
        let mut two = Parameters::new().with("a", 1);
        two.extend([("b", true)]);
        assert_eq!(shown((&two).into()), "a=1 b=true");
        assert_eq!(two.insert("a", 2).and_then(|value| value.as_int()), Some(1));
        assert_eq!((two.len(), two.get("c").is_none()), (2, true));
    }
}
