//! `CALL rag.relations`, `rag.aliases`, `rag.agree`, `rag.agreed`: which names mean the same.

use stratigraph::{HostCall, Procedure, ProcedureType, Value};

use super::super::library::WeakLibrary;
use super::settings::{self, Settings};
use super::{Rows, failed, text};
use crate::aliases::{LEAST_COSINE, Proposal, Reason};
use crate::build::Called;
use crate::door::{Alike, Library};
use crate::relations::Clustering;

pub(super) fn all(weak: &WeakLibrary) -> [Procedure; 4] {
    [
        relations(weak.clone()),
        aliases(weak.clone()),
        agree(weak.clone()),
        agreed(weak.clone()),
    ]
}

fn relations(library: WeakLibrary) -> Procedure {
    Procedure::new("rag.relations")
        .about("Proposes which relations mean the same, as of the last commit, by clusters of their names (DBSCAN): each name with the one that would stand for it. Settings: eps (0.05), least (2). Names that are agreed on stay: those that came since go to the one whose names are near, by their mean, and only the others are clustered. What differs by a negation is never put together, nor what differs by direction alone (\"paid to\" and \"paid by\"); pairs that are near each other all the same are rows with an opposite, of a negation the affirming one. A name that the embedder cannot read is put with no other. rag.agree settles one.")
        .takes_with_default("settings", ProcedureType::MAP.not_null(), settings::none())
        .yields("name", ProcedureType::STRING)
        .yields("standsFor", ProcedureType::STRING)
        .yields("distance", ProcedureType::FLOAT)
        .yields("opposite", ProcedureType::STRING)
        .run_until_stopped(move |call, arguments| clusters(&library.upgrade()?, call, arguments))
}

fn aliases(library: WeakLibrary) -> Procedure {
    Procedure::new("rag.aliases")
        .about("Proposes which entities are one, as of the last commit, by their names: the same words, abbreviations, and names that share a word and whose vectors have at least this cosine. Settings: least (0.9). rag.agree settles one.")
        .takes_with_default("settings", ProcedureType::MAP.not_null(), settings::none())
        .yields("name", ProcedureType::STRING)
        .yields("standsFor", ProcedureType::STRING)
        .yields("reason", ProcedureType::STRING)
        .yields("cosine", ProcedureType::FLOAT)
        .run_until_stopped(move |_, arguments| proposals(&library.upgrade()?, arguments))
}

fn agree(library: WeakLibrary) -> Procedure {
    Procedure::new("rag.agree")
        .about("Says that a relation or an entity is called by another's name in all documents that are taken in from now on; null as that name takes it back. A document that is there has it when it is taken in again, for which no model is asked. Its transaction is its own.")
        .takes("of", ProcedureType::STRING.not_null())
        .takes("name", ProcedureType::STRING.not_null())
        .takes("standsFor", ProcedureType::STRING)
        .yields("changed", ProcedureType::BOOLEAN)
        .commits()
        .run_until_stopped(move |_, arguments| {
            let called = text(arguments, 0);
            let kind = Called::ALL.into_iter().find(|one| one.word() == called);
            let kind = kind.ok_or("names are of a `relation` or an `entity`")?;
            let stands = arguments.get(2).and_then(Value::as_str);
            let open = library.upgrade()?.open().map_err(failed)?;
            let changed = open.agree(kind, text(arguments, 1), stands);
            let changed = changed.map_err(|error| failed(error.into()))?;
            Ok(vec![vec![changed.into()]])
        })
}

fn agreed(library: WeakLibrary) -> Procedure {
    Procedure::new("rag.agreed")
        .about("The names that stand for others, as of the last commit.")
        .yields("of", ProcedureType::STRING)
        .yields("name", ProcedureType::STRING)
        .yields("standsFor", ProcedureType::STRING)
        .run_until_stopped(move |_, _| {
            let open = library.upgrade()?.open().map_err(failed)?;
            let agreed = open.layers().agreed();
            let agreed = agreed.map_err(|error| failed(error.into()))?;
            let row = |(kind, name, stands): (Called, &str, &str)| {
                vec![kind.word().into(), name.into(), stands.into()]
            };
            Ok(agreed.all().map(row).collect())
        })
}

fn clusters(library: &Library, call: &HostCall, arguments: &[Value]) -> Rows {
    let settings = Settings::of(&arguments[0], &["eps", "least"])?;
    let usual = Clustering::default();
    let least = settings.count("least")?.map(u32::try_from);
    let clustering = Clustering {
        eps: settings.share("eps")?.map_or(usual.eps, |eps| eps as f32),
        least: least.and_then(Result::ok).unwrap_or(usual.least),
        ..usual
    };
    let open = library.open().map_err(failed)?;
    let alike = open.alike(clustering, call.stop()).map_err(failed)?;
    let row = |one: Alike| {
        let distance = Value::Float(f64::from(one.distance));
        vec![
            one.name.into(),
            one.stands_for.into(),
            distance,
            one.opposite.into(),
        ]
    };
    Ok(alike.into_iter().map(row).collect())
}

fn proposals(library: &Library, arguments: &[Value]) -> Rows {
    let settings = Settings::of(&arguments[0], &["least"])?;
    let least = settings.share("least")?;
    let least = least.map_or(LEAST_COSINE, |least| least as f32);
    let open = library.open().map_err(failed)?;
    let proposals = open.aliases(Some(least)).map_err(failed)?;
    let row = |one: Proposal| {
        let (reason, cosine) = match one.reason {
            Reason::SameWords => ("same words", Value::Null),
            Reason::Abbreviation => ("abbreviation", Value::Null),
            Reason::Near(cosine) => ("near", Value::Float(f64::from(cosine))),
        };
        vec![
            one.alias.into(),
            one.canonical.into(),
            reason.into(),
            cosine,
        ]
    };
    Ok(proposals.into_iter().map(row).collect())
}
