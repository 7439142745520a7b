//! Statements that run again and again.
//!
//! Next: `run.rs`.

use super::asked::AskedName;
use super::compile::{Compiled, Runs};
use super::options::QueryOptions;
use super::parameters::Parameters;
use super::plan::Plan;
use super::rows::Rows;
use crate::database::Database;
use crate::error::Result;
use std::sync::Arc;
use stratigraph_query_lang::ast::Mode;

/// A statement that was read and planned, to run with other parameters each time.
///
/// It stays right when indexes come and go: it is planned anew then.
///
/// ```
/// use stratigraph::Database;
///
/// let db = Database::in_memory()?;
/// let add = db.prepare("CREATE (:Person {name: $name})")?;
/// add.query([("name", "Ann")])?;
/// add.query([("name", "Bob")])?;
/// let mut names = db.query("MATCH (p:Person) RETURN p.name AS name ORDER BY name", ())?;
/// let first: String = names.next().unwrap()?.get("name")?;
/// assert_eq!(first, "Ann");
/// assert_eq!(add.parameters().collect::<Vec<_>>(), ["name"]);
/// # Ok::<(), stratigraph::Error>(())
/// ```
#[derive(Clone)]
pub struct Prepared {
    database: Database,
    compiled: Arc<Compiled>,
    options: QueryOptions,
}

impl Prepared {
    pub(super) fn new(database: Database, compiled: Arc<Compiled>, options: QueryOptions) -> Self {
        Self {
            database,
            compiled,
            options,
        }
    }

    /// Runs it.
    ///
    /// # Errors
    /// As [`Database::query`].
    pub fn query(&self, parameters: impl Into<Parameters>) -> Result<Rows<'static>> {
        let parameters = parameters.into();
        self.database
            .query_compiled(&self.compiled, &parameters, &self.options)
    }

    /// Its text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.compiled.text
    }

    /// The names of the parameters that it needs, in the order in which they come.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        let parameters = self.plan().map_or(&[][..], |plan| &plan.parameters);
        parameters.iter().map(|needed| &*needed.name)
    }

    /// The names of the columns that it gives.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        let columns = self.plan().map_or(&[][..], |plan| &plan.columns);
        columns.iter().map(|(name, _)| &**name)
    }

    /// The labels, types and properties that it asks for by name, each once. One that nothing has is no error, and may be a slip
    /// of the finger.
    ///
    /// ```
    /// use stratigraph::{Database, NameOf};
    ///
    /// let db = Database::in_memory()?;
    /// let asks = db.prepare("MATCH (p:Person) RETURN p.name")?;
    /// let asked: Vec<_> = asks.asked_names().iter().map(|asked| (asked.of, &*asked.name)).collect();
    /// assert_eq!(asked, [(NameOf::Label, "Person"), (NameOf::Property, "name")]);
    /// # Ok::<(), stratigraph::Error>(())
    /// ```
    #[must_use]
    pub fn asked_names(&self) -> &[AskedName] {
        &self.compiled.asked
    }

    /// Whether it changes the graph, or what is declared. One that is only explained changes nothing.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.compiled.mode != Mode::Explain && self.compiled.writes()
    }

    /// Whether it changes what is declared: an index, a constraint or a hierarchy. The engine builds those while others
    /// write.
    #[must_use]
    pub fn declares(&self) -> bool {
        self.writes() && self.plan().is_none()
    }

    /// Whether it changes the graph in transactions of its procedures' own, and holds no writer's place meanwhile.
    #[must_use]
    pub fn commits_itself(&self) -> bool {
        self.writes() && self.plan().is_some_and(|plan| plan.commits.is_some())
    }

    fn plan(&self) -> Option<&Plan> {
        match &self.compiled.body {
            Runs::Plan(plan) => Some(plan),
            Runs::Schema(_) => None,
        }
    }
}

impl std::fmt::Debug for Prepared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Prepared").field(&self.text()).finish()
    }
}
