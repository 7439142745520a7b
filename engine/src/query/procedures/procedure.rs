//! A procedure: its name, what it takes, what it gives, and what it does.
//!
//! Next: `registry.rs`.

use super::host::{HostCall, HostFailure};
use super::types::ProcedureType;
use crate::error::{Error, Result};
use crate::query::error::Fault;
use crate::query::exec::Context;
use crate::value::Value;
use std::fmt;
use std::sync::Arc;

/// The longest name of a procedure, and how many fields it may have.
const MOST_BYTES: usize = 256;
const MOST_FIELDS: usize = 256;

/// What the host's procedures do: from arguments to rows of columns.
type HostRun = dyn Fn(&HostCall, &[Value]) -> Result<Vec<Vec<Value>>, HostFailure> + Send + Sync;

/// What the engine's procedures do.
pub(crate) type EngineRun =
    dyn Fn(&mut Context<'_>, &[Value]) -> Result<Vec<Vec<Value>>, Fault> + Send + Sync;

/// What a procedure does.
#[derive(Clone)]
pub(crate) enum Run {
    /// The host's.
    Host(Arc<HostRun>),
    /// The engine's, which sees the graph.
    Engine(Arc<EngineRun>),
}

/// A procedure, which queries call with `CALL name(arguments) YIELD columns`.
///
/// ```
/// use stratigraph::{Database, Procedure, ProcedureType, Value};
///
/// let squares = Procedure::new("my.squares")
///     .about("The squares of the whole numbers up to `last`.")
///     .takes("last", ProcedureType::INTEGER.not_null())
///     .takes_with_default("first", ProcedureType::INTEGER, 1)
///     .yields("square", ProcedureType::INTEGER)
///     .run(|arguments| {
///         let last = arguments[0].as_int().unwrap_or(0);
///         let first = arguments[1].as_int().ok_or("it begins somewhere")?;
///         Ok((first..=last).map(|number| vec![Value::from(number * number)]).collect())
///     });
/// assert_eq!(
///     squares.signature(),
///     "my.squares(last :: INTEGER NOT NULL, first = 1 :: INTEGER) :: (square :: INTEGER)"
/// );
/// let db = Database::in_memory()?;
/// db.register(squares)?;
/// # Ok::<(), stratigraph::Error>(())
/// ```
#[derive(Clone)]
#[must_use = "it can be called once `Database::register` knows it"]
pub struct Procedure {
    pub(crate) name: Arc<str>,
    pub(crate) takes: Vec<ProcedureField>,
    pub(crate) gives: Vec<ProcedureField>,
    pub(crate) about: Arc<str>,
    /// Whether it changes the graph.
    pub(crate) writes: bool,
    /// Whether it does so in transactions of its own, as the host's do that change it.
    pub(crate) commits: bool,
    pub(crate) run: Run,
}

/// An argument or a column of a procedure.
#[derive(Clone, Debug)]
pub struct ProcedureField {
    pub(crate) name: Arc<str>,
    /// For arguments: what it is if it is not given.
    pub(crate) default: Option<Value>,
    /// Which values exactly.
    pub(crate) admits: ProcedureType,
}

impl Procedure {
    /// A procedure that takes nothing, gives nothing and does nothing yet. Its name may have parts with points
    /// between them; how it is written, large or small, makes no difference.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self {
            name: name.into(),
            takes: Vec::new(),
            gives: Vec::new(),
            about: "".into(),
            writes: false,
            commits: false,
            run: Run::Host(Arc::new(|_, _| Ok(Vec::new()))),
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

    /// One more column.
    pub fn yields(mut self, name: impl Into<Arc<str>>, admits: ProcedureType) -> Self {
        self.gives.push(ProcedureField::new(name, admits, None));
        self
    }

    /// What it does: from its arguments, of the types that it takes, to rows of its columns. Nodes and
    /// relationships come with their labels and properties. What it says of a failure is what the caller of the
    /// query reads.
    pub fn run(
        mut self,
        run: impl Fn(&[Value]) -> Result<Vec<Vec<Value>>, String> + Send + Sync + 'static,
    ) -> Self {
        self.run = Run::Host(Arc::new(move |_, arguments| {
            run(arguments).map_err(HostFailure::Said)
        }));
        self
    }

    /// The same for what takes long or has errors of the engine: it hears when to stop.
    pub fn run_until_stopped(
        mut self,
        run: impl Fn(&HostCall, &[Value]) -> Result<Vec<Vec<Value>>, HostFailure>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.run = Run::Host(Arc::new(run));
        self
    }

    /// Says that it changes the graph, each time in transactions of its own.
    ///
    /// A statement that calls it holds no writer's place, sees the graph as it was before, and changes it in no
    /// other way; within a transaction, and over a snapshot, it is refused. What was committed by a call stays when
    /// the next one fails.
    ///
    /// ```
    /// use stratigraph::{Database, Procedure, ProcedureType, Read};
    ///
    /// let db = Database::in_memory()?;
    /// // A clone would keep it open for ever: it would hold itself.
    /// let own = db.downgrade();
    /// let note = Procedure::new("my.note")
    ///     .takes("text", ProcedureType::STRING.not_null())
    ///     .commits()
    ///     .run_until_stopped(move |call, arguments| {
    ///         let own = own.upgrade().ok_or("the database is closed")?;
    ///         let mut txn = own.write()?.with_cancel(call.stop().clone());
    ///         txn.create_node(["Note"], [("text", arguments[0].clone())])?;
    ///         txn.commit()?;
    ///         Ok(Vec::new())
    ///     });
    /// db.register(note)?;
    /// db.query("UNWIND ['a', 'b'] AS text CALL my.note(text)", ())?;
    /// assert_eq!(db.read()?.node_count(Some("Note"))?, 2);
    ///
    /// let mut txn = db.write()?;
    /// assert!(txn.query("CALL my.note('c')", ()).is_err());
    /// # Ok::<(), stratigraph::Error>(())
    /// ```
    pub fn commits(mut self) -> Self {
        (self.writes, self.commits) = (true, true);
        self
    }

    /// What the engine does for it.
    pub(crate) fn run_in_engine(
        mut self,
        run: impl Fn(&mut Context<'_>, &[Value]) -> Result<Vec<Vec<Value>>, Fault>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.run = Run::Engine(Arc::new(run));
        self
    }

    /// Says that it changes the graph.
    pub(crate) fn writing(mut self) -> Self {
        self.writes = true;
        self
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it changes the graph.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.writes
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
    pub fn columns(&self) -> &[ProcedureField] {
        &self.gives
    }

    /// How many arguments must be given.
    pub(crate) fn required(&self) -> usize {
        required(&self.takes)
    }

    /// Its name with all its fields: `my.squares(last :: INTEGER) :: (square :: INTEGER)`.
    #[must_use]
    pub fn signature(&self) -> String {
        let (takes, gives) = (listed(&self.takes), listed(&self.gives));
        format!("{}({takes}) :: ({gives})", self.name)
    }

    /// Whether it can be called like this at all.
    pub(crate) fn check(&self) -> Result<()> {
        check_signature("procedure", &self.name, &self.takes, &self.gives)
    }
}

/// How many of some arguments must be given.
pub(crate) fn required(takes: &[ProcedureField]) -> usize {
    let needed = takes.iter().rposition(|field| field.default.is_none());
    needed.map_or(0, |last| last + 1)
}

/// Fields as a signature shows them.
pub(crate) fn listed(fields: &[ProcedureField]) -> String {
    let fields: Vec<String> = fields.iter().map(ToString::to_string).collect();
    fields.join(", ")
}

/// Whether something of that name and with these fields can be called at all.
pub(crate) fn check_signature(
    what: &'static str,
    name: &str,
    takes: &[ProcedureField],
    gives: &[ProcedureField],
) -> Result<()> {
    let bad = |reason| Err(Error::BadDeclaration { what, reason });
    let is_name = |name: &str| {
        let mut characters = name.chars();
        let first = characters.next();
        first.is_some_and(|one| one.is_alphabetic() || one == '_')
            && characters.all(|one| one.is_alphanumeric() || one == '_')
    };
    if name.len() > MOST_BYTES || !name.split('.').all(is_name) {
        return bad("its name is made of letters, digits and `_`, with points between its parts");
    }
    for fields in [takes, gives] {
        if fields.len() > MOST_FIELDS {
            return bad("it has more than 256 arguments or columns");
        }
        for (at, field) in fields.iter().enumerate() {
            if field.name.is_empty() || field.name.len() > MOST_BYTES {
                return bad("an argument or a column has no name, or one of more than 256 bytes");
            }
            if fields[..at].iter().any(|other| other.name == field.name) {
                return bad("two of its arguments or columns have one name");
            }
        }
    }
    let mut defaults = takes.iter().map(|field| field.default.is_some());
    if defaults.by_ref().any(|has| has) && defaults.any(|has| !has) {
        return bad("an argument that must be given comes after one that may be left out");
    }
    for field in takes {
        let default = field.default.clone();
        if default.is_some_and(|value| field.admits.admit(value).is_err()) {
            return bad("what an argument is if it is not given is not of its type");
        }
    }
    Ok(())
}

impl ProcedureField {
    pub(crate) fn new(
        name: impl Into<Arc<str>>,
        admits: ProcedureType,
        default: Option<Value>,
    ) -> Self {
        // Once and for all, so that a default need not be looked at with every call.
        let default = default.map(|value| admits.admit(value).unwrap_or_else(|value| value));
        Self {
            name: name.into(),
            default,
            admits,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its type.
    #[must_use]
    pub fn of_type(&self) -> ProcedureType {
        self.admits
    }

    /// What it is if it is not given; `None` if it must be.
    #[must_use]
    pub fn default(&self) -> Option<&Value> {
        self.default.as_ref()
    }
}

impl fmt::Display for ProcedureField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some(default) = &self.default {
            write!(f, " = {default}")?;
        }
        write!(f, " :: {}", self.admits)
    }
}

impl fmt::Debug for Procedure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_called_is_refused() {
        let of = |name: &str| Procedure::new(name);
        let any = ProcedureType::ANY;
        let refused = [
            (of(""), "its name"),
            (of("a..b"), "its name"),
            (of("1a"), "its name"),
            (of("a b"), "its name"),
            (of("p").takes("a", any).takes("a", any), "one name"),
            (of("p").yields("a", any).yields("a", any), "one name"),
            (of("p").yields("", any), "no name"),
            (
                of("p").takes_with_default("a", any, 1).takes("b", any),
                "must be given",
            ),
            (
                of("p").takes_with_default("a", ProcedureType::STRING, 1),
                "not of its type",
            ),
        ];
        for (procedure, part) in refused {
            let error = procedure.check().unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
        let fine = of("höhe.über_2").takes("a", any).yields("a", any);
        fine.check().unwrap();
    }

    #[test]
    fn arguments_up_to_the_last_without_default_must_be_given() {
        let any = ProcedureType::ANY;
        assert_eq!(Procedure::new("p").required(), 0);
        let two = Procedure::new("p").takes("a", any).takes("b", any);
        assert_eq!(two.required(), 2);
        assert_eq!(two.takes_with_default("c", any, 1).required(), 2);
    }
}
