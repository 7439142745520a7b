//! `CALL rag.retrieve`, `CALL rag.context`, `CALL rag.trace` and `CALL rag.verify`: questions, what a model is given to read
//! for them, how they came to what they got, and whether that still stands.

use stratigraph::{HostCall, HostFailure, Procedure, ProcedureType, Value};

use super::asked::{OF_QUESTIONS, asked};
use super::routes::of_json;
use super::settings::Settings;
use super::{Library, Rows, WeakLibrary, count, failed, text};
use crate::door::MOST_RECEIPTS;
use crate::retrieve::{Receipt, Retrieved};

pub(super) fn retrieve(library: WeakLibrary) -> Procedure {
    Procedure::new("rag.retrieve")
        .about("Retrieves what answers a question, as of the last commit. The pipeline is the name of a preset, or is written out as TOML or JSON. Settings: question, only (a map of metadata that it is limited to), budget (units of text that are packed), most (of what is found that is told), exact (true: no search misses anything that is near, whatever the pipeline says). Scores of two scales mean different things: scale says of which one a score is, as cosine or bm25. A receipt is a text for rag.verify.")
        .takes("pipeline", ProcedureType::STRING.not_null())
        .takes("settings", ProcedureType::MAP.not_null())
        .yields("rank", ProcedureType::INTEGER)
        .yields("kind", ProcedureType::STRING)
        .yields("key", ProcedureType::STRING)
        .yields("score", ProcedureType::FLOAT)
        .yields("scale", ProcedureType::STRING)
        .yields("heading", ProcedureType::STRING)
        .yields("text", ProcedureType::STRING)
        .yields("packed", ProcedureType::BOOLEAN)
        .yields("receipt", ProcedureType::STRING)
        .run_until_stopped(move |call, arguments| found(&library.upgrade()?, call, arguments))
}

pub(super) fn context(library: WeakLibrary) -> Procedure {
    Procedure::new("rag.context")
        .about("What a model is given to read for a question, as of the last commit, and how far that can be trusted to have the answer. One row: context, of so many units of text; how many things were found, and how many more there were, which are untold; the confidence with what it is of, cosine and coverage, each null where there is none; and the threshold below which rag.ask refuses, null if nobody has calibrated the pipeline. Pipeline and settings are those of rag.retrieve.")
        .takes("pipeline", ProcedureType::STRING.not_null())
        .takes("settings", ProcedureType::MAP.not_null())
        .yields("context", ProcedureType::STRING)
        .yields("units", ProcedureType::INTEGER)
        .yields("found", ProcedureType::INTEGER)
        .yields("untold", ProcedureType::INTEGER)
        .yields("confidence", ProcedureType::FLOAT)
        .yields("cosine", ProcedureType::FLOAT)
        .yields("coverage", ProcedureType::FLOAT)
        .yields("threshold", ProcedureType::FLOAT)
        .run_until_stopped(move |call, arguments| packed(&library.upgrade()?, call, arguments))
}

pub(super) fn trace(library: WeakLibrary) -> Procedure {
    Procedure::new("rag.trace")
        .about("What each stage of a pipeline does for a question, in order, as of the last commit: how many it took and gave, how many of those that it took it cut, and how many it added. detail is what the operator says of it beside, as the levels of a descent with what was kept, cut and recovered; null for nothing. The last row is pack: what was found and what of it is read, with the places of what was too_long and said_already. Pipeline and settings are those of rag.retrieve.")
        .takes("pipeline", ProcedureType::STRING.not_null())
        .takes("settings", ProcedureType::MAP.not_null())
        .yields("place", ProcedureType::INTEGER)
        .yields("stage", ProcedureType::STRING)
        .yields("operator", ProcedureType::STRING)
        .yields("took", ProcedureType::INTEGER)
        .yields("gave", ProcedureType::INTEGER)
        .yields("cut", ProcedureType::INTEGER)
        .yields("added", ProcedureType::INTEGER)
        .yields("notThere", ProcedureType::BOOLEAN)
        .yields("detail", ProcedureType::ANY)
        .run_until_stopped(move |call, arguments| traced(&library.upgrade()?, call, arguments))
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

/// What the arguments ask for.
fn retrieved(
    library: &Library,
    call: &HostCall,
    arguments: &[Value],
) -> Result<Retrieved, HostFailure> {
    let known = [&["question"][..], &OF_QUESTIONS[..]].concat();
    let settings = Settings::of(&arguments[1], &known)?;
    let question = settings.needed("question")?;
    let (pipeline, question) = asked(text(arguments, 0), &question, &settings)?;
    let open = library.open().map_err(failed)?;
    open.retrieve(&pipeline, &question, call.stop())
        .map_err(failed)
}

fn found(library: &Library, call: &HostCall, arguments: &[Value]) -> Rows {
    let retrieved = retrieved(library, call, arguments)?;
    let rows = retrieved.found.into_iter().zip(1_u64..);
    let rows = rows.map(|(found, rank)| {
        let receipt = serde_json::to_string(&found.receipt).map_err(|error| error.to_string())?;
        Ok(vec![
            count(rank),
            found.receipt.name.kind.into(),
            found.receipt.name.key.into(),
            f64::from(found.receipt.score.value).into(),
            found.receipt.score.scale.name().into(),
            found.heading.into(),
            found.text.into(),
            found.packed.into(),
            receipt.into(),
        ])
    });
    rows.collect()
}

fn packed(library: &Library, call: &HostCall, arguments: &[Value]) -> Rows {
    let retrieved = retrieved(library, call, arguments)?;
    let confidence = retrieved.confidence;
    Ok(vec![vec![
        retrieved.context.into(),
        count(retrieved.units as u64),
        count(retrieved.found.len() as u64),
        count(retrieved.untold as u64),
        f64::from(confidence.value).into(),
        confidence.parts.cosine.map(f64::from).into(),
        confidence.parts.coverage.map(f64::from).into(),
        retrieved.threshold.map(f64::from).into(),
    ]])
}

fn traced(library: &Library, call: &HostCall, arguments: &[Value]) -> Rows {
    let retrieved = retrieved(library, call, arguments)?;
    let stages = retrieved.trace.into_iter().zip(1_u64..);
    let rows = stages.map(|(stage, place)| {
        vec![
            count(place),
            stage.stage.into(),
            stage.operator.into(),
            count(stage.took as u64),
            count(stage.gave as u64),
            count(stage.cut as u64),
            count(stage.added as u64),
            stage.not_there.into(),
            of_json(&stage.detail),
        ]
    });
    Ok(rows.collect())
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
