//! Functions of the host: registered with a signature and documentation, and called in expressions like any other.
//!
//! A scalar one is asked about one row, a batch one about many at once: a traversal asks it once for all candidates
//! of a level. Each can be called in the other's place.
//!
//! Next: `exec/eval/host.rs`, which calls them.

use crate::error::Result;
use crate::query::procedures::{ProcedureField, ProcedureType, check_signature, listed, required};
use crate::value::Value;
use std::fmt;
use std::sync::Arc;

/// From the arguments of one call to its value.
type One = dyn Fn(&[Value]) -> Result<Value, String> + Send + Sync;
/// From a column of values for each argument to one of results.
type Batch = dyn Fn(&[Vec<Value>]) -> Result<Vec<Value>, String> + Send + Sync;

/// What a function of the host does.
#[derive(Clone)]
pub(crate) enum HostRun {
    One(Arc<One>),
    Batch(Arc<Batch>),
}

/// A function of the host, which expressions call as they call the engine's own.
///
/// ```
/// use stratigraph::{Database, HostFunction, ProcedureType, Value};
///
/// let shout = HostFunction::new("my.shout", ProcedureType::STRING)
///     .about("A text in capitals.")
///     .takes("text", ProcedureType::STRING)
///     .run(|arguments| Ok(arguments[0].as_str().map(str::to_uppercase).map_or(Value::Null, Value::from)));
/// assert_eq!(shout.signature(), "my.shout(text :: STRING) :: STRING");
///
/// let db = Database::in_memory()?;
/// db.register_function(shout)?;
/// let mut rows = db.query("RETURN my.shout('gneiss') AS loud", ())?;
/// assert_eq!(rows.next().unwrap()?.get::<String>("loud")?, "GNEISS");
/// # Ok::<(), stratigraph::Error>(())
/// ```
///
/// One that is much cheaper for many at once, because a model is asked, takes a column of values for each
/// argument. Where an expression is computed row by row, the columns have one value.
///
/// ```
/// use stratigraph::{Database, HostFunction, ProcedureType, Value};
///
/// let rerank = HostFunction::new("rerank", ProcedureType::FLOAT)
///     .about("How well a text answers a question, from 0 to 1.")
///     .takes("text", ProcedureType::STRING)
///     .takes("question", ProcedureType::STRING)
///     .run_batch(|columns| {
///         let pairs = columns[0].iter().zip(&columns[1]);
///         // A model would be asked about all of them here.
///         let score = |same: bool| Value::from(if same { 1.0 } else { 0.0 });
///         Ok(pairs.map(|(text, question)| score(text.as_str() == question.as_str())).collect())
///     });
/// let db = Database::in_memory()?;
/// db.register_function(rerank)?;
/// let mut rows = db.query("RETURN rerank('a', 'b') AS score", ())?;
/// assert_eq!(rows.next().unwrap()?.get::<f64>("score")?, 0.0);
/// # Ok::<(), stratigraph::Error>(())
/// ```
#[derive(Clone)]
#[must_use = "it can be called once `Database::register_function` knows it"]
pub struct HostFunction {
    name: Arc<str>,
    takes: Vec<ProcedureField>,
    gives: ProcedureType,
    about: Arc<str>,
    volatile: bool,
    pub(crate) run: HostRun,
}

impl HostFunction {
    /// A function that takes nothing and always gives null yet. Its name may have parts with points between them;
    /// how it is written, large or small, makes no difference.
    pub fn new(name: impl Into<Arc<str>>, gives: ProcedureType) -> Self {
        Self {
            name: name.into(),
            takes: Vec::new(),
            gives,
            about: "".into(),
            volatile: false,
            run: HostRun::One(Arc::new(|_| Ok(Value::Null))),
        }
    }

    /// Says what it is for, in a sentence.
    pub fn about(mut self, about: impl Into<Arc<str>>) -> Self {
        self.about = about.into();
        self
    }

    /// One more argument, which must be given.
    pub fn takes(mut self, name: impl Into<Arc<str>>, admits: ProcedureType) -> Self {
        self.takes.push(ProcedureField::new(name, admits, None));
        self
    }

    /// One more argument, which may be left out.
    pub fn takes_with_default(
        mut self,
        name: impl Into<Arc<str>>,
        admits: ProcedureType,
        default: impl Into<Value>,
    ) -> Self {
        let default = Some(default.into());
        self.takes.push(ProcedureField::new(name, admits, default));
        self
    }

    /// Says that it may give something else each time for the same arguments, so that no two calls count as one.
    pub fn volatile(mut self) -> Self {
        self.volatile = true;
        self
    }

    /// What it does: from its arguments, of the types that it takes, to a value of the type that it gives. Nodes
    /// and relationships come with their labels and properties. What it says of a failure is what the caller of
    /// the query reads.
    pub fn run(
        mut self,
        run: impl Fn(&[Value]) -> Result<Value, String> + Send + Sync + 'static,
    ) -> Self {
        self.run = HostRun::One(Arc::new(run));
        self
    }

    /// What it does for many at once: it gets a column of values for each argument, all of one length, and gives
    /// as many results in the same order. It needs an argument at least.
    pub fn run_batch(
        mut self,
        run: impl Fn(&[Vec<Value>]) -> Result<Vec<Value>, String> + Send + Sync + 'static,
    ) -> Self {
        self.run = HostRun::Batch(Arc::new(run));
        self
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is for.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.about
    }

    /// What it takes.
    #[must_use]
    pub fn arguments(&self) -> &[ProcedureField] {
        &self.takes
    }

    /// What it gives.
    #[must_use]
    pub fn result(&self) -> ProcedureType {
        self.gives
    }

    /// Whether it works on many at once.
    #[must_use]
    pub fn is_batch(&self) -> bool {
        matches!(self.run, HostRun::Batch(_))
    }

    /// Whether it may give something else each time.
    #[must_use]
    pub fn is_volatile(&self) -> bool {
        self.volatile
    }

    /// How many arguments must be given.
    pub(crate) fn required(&self) -> usize {
        required(&self.takes)
    }

    /// Its name with all that it takes and gives: `my.shout(text :: STRING) :: STRING`.
    #[must_use]
    pub fn signature(&self) -> String {
        format!("{}({}) :: {}", self.name, listed(&self.takes), self.gives)
    }

    /// Whether it can be called like this at all.
    pub(crate) fn check(&self) -> Result<()> {
        check_signature("function", &self.name, &self.takes, &[])?;
        if self.is_batch() && self.takes.is_empty() {
            return Err(crate::Error::BadDeclaration {
                what: "function",
                reason: "one that works on many at once takes an argument at least",
            });
        }
        Ok(())
    }
}

impl fmt::Debug for HostFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
