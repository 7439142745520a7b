//! The methods of the protocol, one file a service. Each asks [`Caller`](crate::caller::Caller) for its database,
//! converts, has the work done, and converts back.

mod admin;
mod bulk;
mod databases;
mod declared;
mod exporting;
mod feeding;
mod query;
mod rag;
mod reports;
mod schema;
mod search;
mod telling;
mod transactions;

pub(crate) use admin::Admin;
pub(crate) use bulk::Bulk;
pub(crate) use databases::DatabaseManagement;
pub(crate) use query::Query;
pub(crate) use rag::Rag;
pub(crate) use schema::Schema;
pub(crate) use search::Search;
pub(crate) use transactions::TransactionControl;

use tonic::Status;

/// What a method gives.
type Answer<T> = Result<tonic::Response<T>, Status>;
