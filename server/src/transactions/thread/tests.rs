use super::*;
use crate::fixture::Fixture;
use crate::services::TransactionControl;
use crate::status::status;
use stratigraph::{HostFunction, ProcedureType};
use stratigraph_proto::v1::transaction_service_server::TransactionService as _;
use stratigraph_proto::v1::{self, TransactionMode};
use tokio_stream::StreamExt as _;
use tonic::{Code, Status};

impl Fixture {
    fn service(&self) -> TransactionControl {
        TransactionControl(Arc::clone(&self.shared))
    }

    async fn begin(&self) -> String {
        let begin = v1::BeginTransactionRequest {
            mode: TransactionMode::Write.into(),
            ..v1::BeginTransactionRequest::default()
        };
        let service = self.service();
        let begun = service.begin_transaction(self.request(begin));
        begun.await.unwrap().into_inner().transaction_id
    }

    async fn run(&self, id: &str, text: &str) -> Result<(), Status> {
        let run = v1::RunInTransactionRequest {
            transaction_id: id.to_owned(),
            statement: Some(v1::Statement {
                source: Some(v1::statement::Source::Text(text.to_owned())),
            }),
            ..v1::RunInTransactionRequest::default()
        };
        let service = self.service();
        let ran = service.run_in_transaction(self.request(run));
        let mut parts = ran.await?.into_inner();
        while let Some(part) = parts.next().await {
            part?;
        }
        Ok(())
    }

    async fn commit(&self, id: &str) -> Result<Option<u64>, Status> {
        let commit = v1::CommitTransactionRequest {
            transaction_id: id.to_owned(),
            ..v1::CommitTransactionRequest::default()
        };
        let service = self.service();
        let ended = service.commit_transaction(self.request(commit));
        Ok(ended.await?.into_inner().sequence)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_that_panics_takes_its_transaction_with_it() {
    let fixture = Fixture::new();
    let engine = fixture.shared.databases.get("default").unwrap();
    let bomb = HostFunction::new("test.panic", ProcedureType::INTEGER)
        .takes("number", ProcedureType::INTEGER)
        .run(|_| panic!("as the test wants it"));
    engine.engine.register_function(bomb).unwrap();
    let id = fixture.begin().await;
    fixture.run(&id, "CREATE (:P)").await.unwrap();
    let broken = fixture
        .run(
            &id,
            "UNWIND [1, 2] AS x CREATE (:Half) WITH x WHERE x = 2 RETURN test.panic(x)",
        )
        .await
        .unwrap_err();
    assert_eq!(broken.code(), Code::Internal);
    assert!(broken.message().contains("was rolled back"), "{broken}");
    let over = fixture.commit(&id).await.unwrap_err();
    assert_eq!(over.code(), Code::Aborted, "{over}");
    let count = engine.engine.query("MATCH (n) RETURN count(n) AS n", ());
    let row = count.unwrap().next().unwrap().unwrap();
    assert_eq!(row.get::<i64>("n").unwrap(), 0);
    // The next one that writes has its turn.
    let id = fixture.begin().await;
    fixture.commit(&id).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_knows_is_never_said_to_be_rolled_back() {
    let fixture = Fixture::new();
    let id = fixture.begin().await;
    let transactions = &fixture
        .shared
        .databases
        .get("default")
        .unwrap()
        .transactions;
    let transaction = transactions.open(&"".into(), &id).unwrap();
    let unknown = Failure::Engine(stratigraph::Error::OutcomeUnknown {
        cause: "the disk is gone".into(),
    });
    transactions.remove(&transaction, how(&unknown));
    for _ in 0..2 {
        let told = fixture.commit(&id).await.unwrap_err();
        assert_eq!(told.code(), status(&unknown).code());
        assert!(told.message().contains("unknown"), "{told}");
    }
    // Somebody else does not even learn that much.
    assert!(matches!(
        transactions.commit(&"other".into(), &id).await,
        Err(Failure::Unknown { .. })
    ));
}
