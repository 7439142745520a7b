//! Exports.

use crate::fake::{Act, End, Fake, refusal};
use stratigraph_client::{Error, ExportForm, ExportPart};
use tonic::Code;

const CSV: ExportForm = ExportForm::Csv {
    array_delimiter: '|',
};

#[tokio::test]
async fn parts_come_until_all_is_there() {
    let busy = refusal(Code::ResourceExhausted, "TooBusy", &[], Some(1));
    // One that is refused with a hint is asked for again.
    let fake = Fake::start([Act::Fail(busy)]).await;
    let client = fake.client().await.database("library");
    let mut export = client.export(CSV).await.unwrap();
    let Some(ExportPart::Content { file, bytes }) = export.next().await.unwrap() else {
        panic!("no content");
    };
    assert_eq!((&*file, &*bytes), ("nodes.csv", &b"library |"[..]));
    let Some(ExportPart::Done(report)) = export.next().await.unwrap() else {
        panic!("no report");
    };
    assert_eq!(report.nodes, 7);
    assert_eq!(export.next().await.unwrap(), None);
    assert_eq!(fake.calls("ExportDatabase"), 2);
}

#[tokio::test]
async fn an_export_without_a_report_is_not_whole() {
    let fake = Fake::start([Act::Rows(vec![], vec![], End::Nothing)]).await;
    let mut export = fake.client().await.export(CSV).await.unwrap();
    export.next().await.unwrap();
    let error = export.next().await.unwrap_err();
    assert!(matches!(error, Error::Interrupted { .. }), "{error:?}");
    assert_eq!(export.next().await.unwrap(), None);
}
