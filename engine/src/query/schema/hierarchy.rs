//! `CREATE HIERARCHY` and `DROP HIERARCHY`.
//!
//! Next: `refusal.rs`.

use super::command::Place;
use super::naming::name_of;
use super::refusal::refused;
use crate::catalog::TypeId;
use crate::database::HierarchyOptions;
use crate::graph::Read as _;
use crate::query::counters::Counters;
use crate::query::error::{Detail, Fault, raise};
use stratigraph_query_lang::ast::{Arrow, CreateHierarchy, Drop};

pub(super) fn create(place: &Place<'_>, wanted: &CreateHierarchy) -> Result<Counters, Fault> {
    let (name, span) = name_of(&wanted.name, place.parameters)?;
    let not_yet = |message: &str, hint: &str| {
        raise(Detail::NotSupported, message)
            .hint(hint)
            .at(wanted.span)
    };
    let [of] = wanted.types.as_slice() else {
        return Err(not_yet(
            "a hierarchy cannot have several types yet",
            "give its relationships one type, or declare a hierarchy for each",
        ));
    };
    if wanted.arrow == Arrow::Left {
        return Err(not_yet(
            "the relationships of a hierarchy lead from parent to child",
            "turn them round, and say FOR ()-[:TYPE]->()",
        ));
    }
    if wanted.if_not_exists && is_there(place, &name, &of.name)? {
        return Ok(Counters::default());
    }
    let mut hierarchy = HierarchyOptions::new(&*name, &*of.name);
    if wanted.tree.is_some() {
        hierarchy = hierarchy.tree();
    }
    let created =
        place.build(|database, watch| database.create_hierarchy_watched(hierarchy, watch));
    created.map_err(|error| refused(error).at(span))?;
    Ok(Counters {
        hierarchies_added: 1,
        ..Counters::default()
    })
}

/// Whether the name is taken, or the type has a hierarchy.
fn is_there(place: &Place<'_>, name: &str, of: &str) -> Result<bool, Fault> {
    let read = place.database.read()?;
    let catalog = read.catalog();
    let of: Option<TypeId> = catalog.types.id(of);
    let of_type = of.and_then(|of| catalog.hierarchy_of(of));
    Ok(catalog.is_taken(name) || of_type.is_some())
}

pub(super) fn drop(place: &Place<'_>, unwanted: &Drop) -> Result<Counters, Fault> {
    let (name, span) = name_of(&unwanted.name, place.parameters)?;
    let read = place.database.read()?;
    let known = read.catalog().hierarchy_named(&name).is_some();
    std::mem::drop(read);
    if unwanted.if_exists && !known {
        return Ok(Counters::default());
    }
    let dropped = place.database.drop_hierarchy(&name);
    dropped.map_err(|error| refused(error).at(span))?;
    Ok(Counters {
        hierarchies_removed: 1,
        ..Counters::default()
    })
}
