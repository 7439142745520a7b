//! `CALL rag.retrieve` and `CALL rag.verify`: questions, and whether what they got still stands.

use stratigraph::{HostCall, Procedure, ProcedureType, Value};

use super::settings::Settings;
use super::{Library, Rows, WeakLibrary, count, failed, text};
use crate::door::MOST_RECEIPTS;
use crate::retrieve::{Pipeline, Question, Receipt};

pub(super) fn retrieve(library: WeakLibrary) -> Procedure {
    Procedure::new("rag.retrieve")
        .about("Retrieves what answers a question, as of the last commit. The pipeline is the name of a preset, or is written out as TOML or JSON. Settings: question, only (a map of metadata that it is limited to), budget (units of text that are packed), most (of what is found that is told). A receipt is a text for rag.verify.")
        .takes("pipeline", ProcedureType::STRING.not_null())
        .takes("settings", ProcedureType::MAP.not_null())
        .yields("rank", ProcedureType::INTEGER)
        .yields("kind", ProcedureType::STRING)
        .yields("key", ProcedureType::STRING)
        .yields("score", ProcedureType::FLOAT)
        .yields("heading", ProcedureType::STRING)
        .yields("text", ProcedureType::STRING)
        .yields("packed", ProcedureType::BOOLEAN)
        .yields("receipt", ProcedureType::STRING)
        .run_until_stopped(move |call, arguments| found(&library.upgrade()?, call, arguments))
}

pub(super) fn verify(library: WeakLibrary) -> Procedure {
    Procedure::new("rag.verify")
        .about("Whether what receipts were given on still stands, as of the last commit: stands, moved (the same elsewhere in the document), changed or gone.")
        .takes("receipts", ProcedureType::LIST.not_null())
        .yields("receipt", ProcedureType::STRING)
        .yields("standing", ProcedureType::STRING)
        .yields("holds", ProcedureType::BOOLEAN)
        .run_until_stopped(move |call, arguments| standing(&library.upgrade()?, call, arguments))
}

fn found(library: &Library, call: &HostCall, arguments: &[Value]) -> Rows {
    let mut pipeline = Pipeline::of(text(arguments, 0)).map_err(|error| failed(error.into()))?;
    let settings = Settings::of(&arguments[1], &["question", "only", "budget", "most"])?;
    pipeline.budget = settings.count("budget")?.unwrap_or(pipeline.budget);
    pipeline.most = settings.count("most")?.unwrap_or(pipeline.most);
    let question = Question::new(settings.needed("question")?);
    let mut question = question.map_err(|error| failed(error.into()))?;
    for (name, datum) in settings.metadata("only")? {
        question = question.only(name, datum);
    }
    let open = library.open().map_err(failed)?;
    let retrieved = open
        .retrieve(&pipeline, &question, call.stop())
        .map_err(failed)?;
    let rows = retrieved.found.into_iter().zip(1_u64..);
    let rows = rows.map(|(found, rank)| {
        let receipt = serde_json::to_string(&found.receipt).map_err(|error| error.to_string())?;
        Ok(vec![
            count(rank),
            found.receipt.name.kind.into(),
            found.receipt.name.key.into(),
            f64::from(found.receipt.score.value).into(),
            found.heading.into(),
            found.text.into(),
            found.packed.into(),
            receipt.into(),
        ])
    });
    rows.collect()
}

fn standing(library: &Library, call: &HostCall, arguments: &[Value]) -> Rows {
    let texts = arguments
        .first()
        .and_then(Value::as_list)
        .unwrap_or_default();
    if texts.len() > MOST_RECEIPTS {
        let found = texts.len();
        return Err(
            format!("{found} receipts, and {MOST_RECEIPTS} are looked at in one call").into(),
        );
    }
    let mut receipts = Vec::with_capacity(texts.len());
    for (at, text) in texts.iter().enumerate() {
        let text = text.as_str().unwrap_or_default();
        let receipt: Receipt = serde_json::from_str(text)
            .map_err(|error| format!("number {at} of the receipts is none: {error}"))?;
        receipts.push(receipt);
    }
    let standing = library.verify(&receipts, call.stop()).map_err(failed)?;
    let rows = texts.iter().zip(standing);
    Ok(rows
        .map(|(text, standing)| {
            let name = standing.name();
            vec![text.clone(), name.into(), standing.holds().into()]
        })
        .collect())
}
