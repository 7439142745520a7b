//! The question goes to a declared query, and what its rows hold is found.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use stratigraph::Read;

use super::{Desk, Item, RetrieveError, Scale};
use crate::routes::{CallLimits, Choice, Routing, run};

/// Routes the question to the declared query that it is for, calls that, and takes the nodes and relationships of its
/// rows in their order. Where a call gives no rows, the next best is called.
///
/// ```
/// use stratigraph_rag::retrieve::Route;
///
/// assert_eq!(Route::default(), serde_json::from_str(r#"{"k": 1, "rows": 100}"#).unwrap());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct Route {
    /// So many calls that give rows are made.
    #[serde(default = "one")]
    k: usize,
    /// So many rows of each are taken.
    #[serde(default = "hundred")]
    rows: usize,
    /// Whether a model is asked, if there is one.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    model: bool,
}

fn one() -> usize {
    1
}

fn hundred() -> usize {
    100
}

fn yes() -> bool {
    true
}

impl Default for Route {
    fn default() -> Self {
        Self {
            k: one(),
            rows: hundred(),
            model: yes(),
        }
    }
}

/// So many calls are tried at most, those without rows included.
const MOST_CALLS: usize = 8;

/// What was routed where.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RouteTaken {
    /// Which query the question is for, and why.
    #[serde(flatten)]
    pub routing: Routing,
    /// What was called, in order.
    pub called: Vec<Json>,
}

impl Route {
    /// Without asking a model, also where there is one.
    pub fn by_rule(mut self) -> Self {
        self.model = false;
        self
    }

    /// Routes.
    ///
    /// # Errors
    /// See [`RetrieveError`].
    pub fn run_traced<R: Read>(
        &self,
        desk: &Desk<'_, R>,
    ) -> Result<(Vec<Item>, RouteTaken), RetrieveError> {
        let statements = desk.statements()?;
        let generator = desk.generator().filter(|_| self.model);
        let choice = Choice::of(desk.read(), desk.embedder(), generator, desk.text())?;
        let limits = CallLimits {
            rows: self.rows,
            exact: desk.question().is_exact(),
            ..CallLimits::default()
        };
        let mut items: Vec<Item> = Vec::new();
        let mut called = Vec::new();
        let mut with_rows = 0;
        for (declared, arguments, score) in choice.calls().take(MOST_CALLS) {
            if with_rows >= self.k {
                break;
            }
            let ran = run(statements, desk.embedder(), (declared, arguments), limits)?;
            if !ran.exact {
                desk.missed_something();
            }
            with_rows += usize::from(!ran.rows.is_empty());
            called.push(told(
                &declared.name,
                &ran.arguments,
                ran.rows.len(),
                ran.more,
            ));
            for item in ran.items(&declared.name, Scale::Routed.score(score)) {
                if items.iter().all(|known| known.entity != item.entity) {
                    items.push(item);
                }
            }
        }
        let routing = choice.routing;
        Ok((items, RouteTaken { routing, called }))
    }
}

fn told(name: &str, arguments: &Map<String, Json>, rows: usize, more: bool) -> Json {
    json!({"name": name, "arguments": arguments, "rows": rows, "more": more})
}
