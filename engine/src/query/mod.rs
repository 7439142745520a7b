//! StratQL: from the text of a query to its rows.
//!
//! ```text
//! text ──parse──> tree ──bind──> clauses over slots ──plan──> operators ──exec──> batches of rows
//! ```
//! Each arrow is one function with types of its own. `bind` turns names into slots and finds every error
//! that can be found without data; `plan` is pure: the catalogue and counts in, operators out; `exec` pulls
//! batches of rows over one snapshot, or within one write transaction.
//!
//! | what | where |
//! |---|---|
//! | errors with their place, and what to do | `error/` |
//! | sets of types, as far as they are known before the query runs | `types.rs` |
//! | functions and aggregates | `functions/`, `temporal/` |
//! | expressions over slots | `expr/` |
//! | names to slots, and those of the graph that are asked for | `bind/`, `asked.rs` |
//! | operators, and how they are chosen | `plan/` |
//! | running them | `exec/` |
//! | procedures | `procedures/` |
//! | `CREATE INDEX` and its kin | `schema/` |

mod asked;
mod bind;
mod cache;
mod compile;
pub(crate) mod counters;
pub(crate) mod element_id;
pub(crate) mod error;
pub(crate) mod exec;
pub(crate) mod expr;
pub(crate) mod functions;
pub(crate) mod graph_face;
pub(crate) mod options;
pub(crate) mod parameters;
pub(crate) mod plan;
mod prepared;
pub(crate) mod procedures;
pub(crate) mod provenance;
pub(crate) mod result;
mod rows;
mod run;
pub(crate) mod schema;
mod shown_plan;
pub(crate) mod similarity;
mod start;
mod statistics;
pub(crate) mod temporal;
pub(crate) mod types;

pub use asked::{AskedName, NameOf};
pub(crate) use cache::PlanCache;
pub use counters::Counters;
pub use error::{Detail, ErrorType, Phase, QueryError};
pub use functions::HostFunction;
pub use options::QueryOptions;
pub use parameters::Parameters;
pub use plan::Rule as PlannerRule;
pub use prepared::Prepared;
pub use procedures::{
    BadProcedureType, HostCall, HostFailure, Procedure, ProcedureField, ProcedureType, Registry,
};
pub use provenance::{BudgetUse, ScoreScale, SearchReport, TraversalReport};
pub use result::{ColumnIndex, OperatorWork, PlanOperator, Row, Summary};
pub use rows::Rows;
// Hosts put names into the text of statements, too.
pub use stratigraph_query_lang::quoted_name;
