//! Transactions.

use super::query::{Parts, play, told, unknown};
use super::{Act, Answer, State};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use stratigraph_proto::v1;
use stratigraph_proto::v1::query_response::Part as QueryPart;
use stratigraph_proto::v1::run_in_transaction_response::Part;
use stratigraph_proto::v1::transaction_service_server::TransactionService;
use tokio_stream::StreamExt as _;
use tonic::{Request, Response, Status};

pub(crate) struct Transactions(pub(crate) Arc<State>);

impl Transactions {
    fn known(&self, id: &str) -> Result<(), Status> {
        let open = self.0.open.lock().unwrap();
        if open.iter().any(|known| known == id) {
            return Ok(());
        }
        Err(unknown("transaction", id))
    }

    fn close(&self, id: &str) -> Result<(), Status> {
        self.known(id)?;
        self.0.open.lock().unwrap().retain(|known| known != id);
        Ok(())
    }
}

#[tonic::async_trait]
impl TransactionService for Transactions {
    type RunInTransactionStream = Parts<v1::RunInTransactionResponse>;

    async fn begin_transaction(
        &self,
        request: Request<v1::BeginTransactionRequest>,
    ) -> Answer<v1::BeginTransactionResponse> {
        let mode = request.get_ref().mode();
        let act = self
            .0
            .next("BeginTransaction", &request, mode.as_str_name());
        let work = || {
            let number = self.0.transactions.fetch_add(1, Ordering::Relaxed);
            let transaction_id = format!("transaction-{number}");
            self.0.open.lock().unwrap().push(transaction_id.clone());
            Ok(v1::BeginTransactionResponse {
                transaction_id,
                sequence: (mode == v1::TransactionMode::Read).then_some(7),
                idle_timeout_ms: 1000,
                total_timeout_ms: 2000,
            })
        };
        self.0.one(act, work).await
    }

    async fn run_in_transaction(
        &self,
        request: Request<v1::RunInTransactionRequest>,
    ) -> Answer<Self::RunInTransactionStream> {
        let what = told(request.get_ref().statement.as_ref());
        let act = self.0.next("RunInTransaction", &request, &what);
        if matches!(act, Act::Usual | Act::Rows(..)) {
            self.known(&request.get_ref().transaction_id)?;
        }
        let parts = play(&self.0, act).await?;
        let parts = parts.map(|part| {
            part.map(|part| v1::RunInTransactionResponse {
                part: Some(match part {
                    QueryPart::Header(header) => Part::Header(header),
                    QueryPart::Rows(rows) => Part::Rows(rows),
                    QueryPart::Summary(summary) => Part::Summary(summary),
                }),
            })
        });
        Ok(Response::new(Box::pin(parts)))
    }

    async fn commit_transaction(
        &self,
        request: Request<v1::CommitTransactionRequest>,
    ) -> Answer<v1::CommitTransactionResponse> {
        let id = request.get_ref().transaction_id.clone();
        let act = self.0.next("CommitTransaction", &request, &id);
        let work = || {
            self.close(&id)?;
            self.0.committed.lock().unwrap().push(id.clone());
            Ok(v1::CommitTransactionResponse { sequence: Some(8) })
        };
        self.0.one(act, work).await
    }

    async fn rollback_transaction(
        &self,
        request: Request<v1::RollbackTransactionRequest>,
    ) -> Answer<v1::RollbackTransactionResponse> {
        let id = request.get_ref().transaction_id.clone();
        let act = self.0.next("RollbackTransaction", &request, &id);
        let work = || {
            self.close(&id)?;
            self.0.rolled_back.lock().unwrap().push(id.clone());
            Ok(v1::RollbackTransactionResponse {})
        };
        self.0.one(act, work).await
    }
}
