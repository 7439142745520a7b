//! `CALL rag.ask`, `CALL rag.calibrate` and `CALL rag.calibrations`: answers, and below which confidence there is none.

use stratigraph::{HostCall, Procedure, ProcedureType, Value};

use super::asked::{OF_QUESTIONS, asked};
use super::settings::{self, Settings};
use super::{Library, Rows, WeakLibrary, count, failed, text};
use crate::calibrate::{Calibrate, Calibration};
use crate::door::Ask;
use crate::retrieve::Pipeline;

pub(super) fn ask(library: WeakLibrary) -> Procedure {
    Procedure::new("rag.ask")
        .about("Answers a question from what a pipeline retrieves, as of the last commit: with the model of the process, or in sentences of the documents. One row. Settings: only (a map of metadata that it is limited to), budget (units of text that are packed), most (of what is found that is read), exact (true: no search misses anything that is near, whatever the pipeline says), verbatim (true: without the model). answer is a list of {text, sources, supported, score, lacks}, sources one of {number, receipt, heading, text}, of which the receipt is a text for rag.verify; refused says why there is no answer, and is null if there is one; cosine and coverage are what the confidence is of, and dropped are numbers that the model cites and that no passage has.")
        .takes("pipeline", ProcedureType::STRING.not_null())
        .takes("question", ProcedureType::STRING.not_null())
        .takes_with_default("settings", ProcedureType::MAP.not_null(), settings::none())
        .yields("answer", ProcedureType::LIST)
        .yields("analysis", ProcedureType::STRING)
        .yields("sources", ProcedureType::LIST)
        .yields("refused", ProcedureType::STRING)
        .yields("reason", ProcedureType::STRING)
        .yields("confidence", ProcedureType::FLOAT)
        .yields("cosine", ProcedureType::FLOAT)
        .yields("coverage", ProcedureType::FLOAT)
        .yields("threshold", ProcedureType::FLOAT)
        .yields("model", ProcedureType::STRING)
        .yields("prompt", ProcedureType::STRING)
        .yields("dropped", ProcedureType::LIST)
        .yields("calls", ProcedureType::INTEGER)
        .yields("inputTokens", ProcedureType::INTEGER)
        .yields("outputTokens", ProcedureType::INTEGER)
        .run_until_stopped(move |call, arguments| answer(&library.upgrade()?, call, arguments))
}

pub(super) fn calibrate(library: WeakLibrary) -> Procedure {
    of_calibrations(Procedure::new("rag.calibrate")
        .about("Finds below which confidence questions of a pipeline are refused, with questions made from the graph itself, and keeps it in the database, in the place of the one before. Settings: questions (200), seed (0), refuseAtMost (0.02, the share of those that can be answered). Its transaction is its own.")
        .takes("pipeline", ProcedureType::STRING.not_null())
        .takes_with_default("settings", ProcedureType::MAP.not_null(), settings::none()))
    .commits()
    .run_until_stopped(move |call, arguments| found(&library.upgrade()?, call, arguments))
}

pub(super) fn calibrations(library: WeakLibrary) -> Procedure {
    of_calibrations(Procedure::new("rag.calibrations").about(
        "The thresholds that are kept, by the names of their pipelines, as of the last commit.",
    ))
    .run_until_stopped(move |_, _| {
        let open = library.upgrade()?.open().map_err(failed)?;
        let read = open.layers().database().read()?;
        let kept = open.calibrations(&read).map_err(failed)?;
        Ok(kept.iter().map(row).collect())
    })
}

fn of_calibrations(procedure: Procedure) -> Procedure {
    procedure
        .yields("pipeline", ProcedureType::STRING)
        .yields("embedder", ProcedureType::STRING)
        .yields("threshold", ProcedureType::FLOAT)
        .yields("auroc", ProcedureType::FLOAT)
        .yields("falseRefusals", ProcedureType::FLOAT)
        .yields("trueRefusals", ProcedureType::FLOAT)
        .yields("questions", ProcedureType::INTEGER)
        .yields("documents", ProcedureType::INTEGER)
        .yields("asOf", ProcedureType::INTEGER)
}

fn answer(library: &Library, call: &HostCall, arguments: &[Value]) -> Rows {
    let known = [&OF_QUESTIONS[..], &["verbatim"][..]].concat();
    let settings = Settings::of(&arguments[2], &known)?;
    let (pipeline, question) = asked(text(arguments, 0), text(arguments, 1), &settings)?;
    let open = library.open().map_err(failed)?;
    let ask = Ask::new(&pipeline, &question).verbatim(settings.truth("verbatim")?);
    let answer = open.ask(&ask, call.stop(), &mut |_| ()).map_err(failed)?;
    let numbers = |numbers: &[usize]| -> Value {
        let numbers = numbers.iter().map(|number| count(*number as u64));
        numbers.collect::<Vec<_>>().into()
    };
    let sentences = answer.answer.iter().map(|one| {
        map([
            ("text", one.text.as_str().into()),
            ("sources", numbers(&one.sources)),
            ("supported", one.supported.into()),
            ("score", f64::from(one.score).into()),
            ("lacks", texts(&one.lacks)),
        ])
    });
    let sources = answer.sources.iter().map(|cited| {
        let receipt = serde_json::to_string(&cited.receipt).map_err(|error| error.to_string())?;
        Ok(map([
            ("number", count(cited.number as u64)),
            ("receipt", receipt.into()),
            ("heading", cited.heading.as_str().into()),
            ("text", cited.text.as_str().into()),
        ]))
    });
    let sources = sources.collect::<Result<Vec<Value>, String>>()?;
    let refused = answer.refused.as_ref();
    let confidence = answer.confidence;
    Ok(vec![vec![
        sentences.collect::<Vec<Value>>().into(),
        answer.analysis.as_str().into(),
        sources.into(),
        refused.map(|refused| refused.because.name()).into(),
        refused.map(|refused| refused.reason.as_str()).into(),
        f64::from(confidence.value).into(),
        confidence.parts.cosine.map(f64::from).into(),
        confidence.parts.coverage.map(f64::from).into(),
        answer.threshold.map(f64::from).into(),
        answer.model.as_deref().into(),
        answer.prompt.as_deref().into(),
        answer.dropped.clone().into(),
        count(answer.cost.calls),
        count(answer.cost.input_tokens),
        count(answer.cost.output_tokens),
    ]])
}

fn found(library: &Library, call: &HostCall, arguments: &[Value]) -> Rows {
    let pipeline = Pipeline::of(text(arguments, 0)).map_err(|error| failed(error.into()))?;
    let settings = Settings::of(&arguments[1], &["questions", "seed", "refuseAtMost"])?;
    let usual = Calibrate::default();
    let how = Calibrate {
        questions: settings.count("questions")?.unwrap_or(usual.questions),
        seed: settings.number("seed")?.unwrap_or(usual.seed),
        refuse_at_most: settings
            .share("refuseAtMost")?
            .unwrap_or(usual.refuse_at_most),
    };
    let open = library.open().map_err(failed)?;
    let found = open.calibrate(&pipeline, &how, call.stop(), &mut |_, _| ());
    Ok(vec![row(&found.map_err(failed)?)])
}

fn row(found: &Calibration) -> Vec<Value> {
    vec![
        found.pipeline.as_str().into(),
        found.embedder.as_str().into(),
        f64::from(found.threshold).into(),
        found.auroc.into(),
        found.false_refusals.into(),
        found.true_refusals.into(),
        count(found.questions as u64),
        count(found.documents),
        count(found.as_of),
    ]
}

fn map<const N: usize>(entries: [(&str, Value); N]) -> Value {
    let entries = entries.into_iter();
    Value::Map(std::sync::Arc::new(
        entries.map(|(name, value)| (name.into(), value)).collect(),
    ))
}

fn texts(texts: &[String]) -> Value {
    let texts = texts.iter().map(|text| Value::from(text.as_str()));
    texts.collect::<Vec<_>>().into()
}
