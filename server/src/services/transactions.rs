//! `TransactionService`.

use super::Answer;
use super::query::{doing, text_of};
use crate::auth::Role;
use crate::caller::Caller;
use crate::convert;
use crate::databases::{BEGINNING, Doing};
use crate::ending::Stage;
use crate::failure::Failure;
use crate::shared::Shared;
use crate::transactions::{Begin, Command, Statement, begin, over};
use crate::work::{Allowance, PartStream, RunLimits, channel};
use std::sync::Arc;
use std::time::Duration;
use stratigraph::storage::cancel::CancelToken;
use stratigraph_proto::v1::transaction_service_server::TransactionService;
use stratigraph_proto::v1::{self, TransactionMode};
use tonic::{Request, Response};

/// `TransactionService`.
pub(crate) struct TransactionControl(pub(crate) Arc<Shared>);

#[tonic::async_trait]
impl TransactionService for TransactionControl {
    type RunInTransactionStream = PartStream<v1::RunInTransactionResponse>;

    async fn begin_transaction(
        &self,
        request: Request<v1::BeginTransactionRequest>,
    ) -> Answer<v1::BeginTransactionResponse> {
        let (caller, request, database) = Caller::asks(&self.0, request, |asked| &asked.database)?;
        let config = &self.0.config;
        let limit = |asked, most: crate::Period, field| {
            Allowance::least(asked, most.millis(), field).map(Duration::from_millis)
        };
        let idle = limit(
            request.idle_timeout_ms,
            config.max_transaction_idle,
            "idle_timeout_ms",
        )?;
        let total = limit(
            request.total_timeout_ms,
            config.max_transaction_time,
            "total_timeout_ms",
        )?;
        let queue = limit(
            request.queue_timeout_ms,
            config.max_write_queue_wait,
            "queue_timeout_ms",
        )?;
        let is_writing = match TransactionMode::try_from(request.mode) {
            Ok(TransactionMode::Unspecified | TransactionMode::Read) => false,
            Ok(TransactionMode::Write) => true,
            Err(_) => return Err(Failure::request("mode", "this server does not know it").into()),
        };
        if is_writing {
            caller.require(Role::Write, &database.name)?;
        }
        let places = if is_writing {
            &self.0.write_transactions
        } else {
            &self.0.read_transactions
        };
        let place = places.take(caller.identity.name())?;
        // Until it is in the table of those that are open.
        let _hold = database.holds.hold(BEGINNING);
        if self.0.is_ending() {
            return Err(Failure::ShuttingDown.into());
        }
        let turn = if is_writing {
            // Who waits has not begun: an end of the server does not wait for it.
            tokio::select! {
                turn = database.writer_turn(queue) => Some(turn?),
                () = self.0.ending.reached(Stage::Draining) => return Err(Failure::ShuttingDown.into()),
            }
        } else {
            None
        };
        let (transaction_id, sequence) = begin(Begin {
            shared: Arc::clone(&self.0),
            database,
            owner: Arc::clone(caller.identity.name()),
            turn,
            _place: place,
            idle,
            total,
        })
        .await?;
        Ok(Response::new(v1::BeginTransactionResponse {
            transaction_id,
            sequence,
            idle_timeout_ms: crate::Period(idle).millis(),
            total_timeout_ms: crate::Period(total).millis(),
        }))
    }

    async fn run_in_transaction(
        &self,
        request: Request<v1::RunInTransactionRequest>,
    ) -> Answer<Self::RunInTransactionStream> {
        let (caller, request, database) = Caller::asks(&self.0, request, |asked| &asked.database)?;
        let transaction = database
            .transactions
            .open(caller.identity.name(), &request.transaction_id)?;
        let limits = RunLimits::new(&self.0.config, &caller, request.options)?;
        let text = text_of(&database, &caller, request.statement)?;
        let parameters = convert::parameters(request.parameters)?;
        // The token may write no more, although it could when it began.
        let doing = doing(&self.0.side, &database, &caller, &text, &limits).await?;
        if doing != Doing::Reads && !transaction.writes {
            return Err(Failure::State {
                code: "ReadOnlyTransaction",
                problem: "the statement changes something, and this transaction only reads: begin one with \
                          TRANSACTION_MODE_WRITE"
                    .to_owned(),
            }
            .into());
        }
        let cancel = CancelToken::new();
        let (outlet, stream) = channel(&self.0.config, limits.deadline, &cancel, over());
        let statement = Statement {
            caller,
            text,
            parameters,
            limits,
            cancel,
            outlet,
        };
        let run = Command::Run(Box::new(statement));
        database.transactions.run(&transaction, run)?;
        Ok(Response::new(stream))
    }

    async fn commit_transaction(
        &self,
        request: Request<v1::CommitTransactionRequest>,
    ) -> Answer<v1::CommitTransactionResponse> {
        let (caller, request, database) = Caller::asks(&self.0, request, |asked| &asked.database)?;
        let owner = caller.identity.name();
        let committed = database.transactions.commit(owner, &request.transaction_id);
        let sequence = committed.await?;
        Ok(Response::new(v1::CommitTransactionResponse { sequence }))
    }

    async fn rollback_transaction(
        &self,
        request: Request<v1::RollbackTransactionRequest>,
    ) -> Answer<v1::RollbackTransactionResponse> {
        let (caller, request, database) = Caller::asks(&self.0, request, |asked| &asked.database)?;
        let owner = caller.identity.name();
        let rolled_back = database
            .transactions
            .roll_back(owner, &request.transaction_id);
        rolled_back.await?;
        Ok(Response::new(v1::RollbackTransactionResponse {}))
    }
}
