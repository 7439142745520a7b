//! What can be asked of a typed graph of which nobody has declared anything: its rows by what they are called, by what
//! they say, and single properties of them. All of it is learned from what is indexed.

use std::collections::BTreeSet;

use stratigraph::query::quoted_name;

use super::declared::{Declared, Kind, Parameter, PropertyOf};
use super::types::{NameIndex, TypeOf};

/// So many rows a search gives.
const NEAREST: usize = 10;
/// The most properties of a type that are told.
const MOST_TOLD: usize = 40;

/// Queries over all types.
pub(crate) fn defaults(types: &[TypeOf], dimensions: usize) -> Vec<Declared> {
    let mut taken = BTreeSet::new();
    let of = |(at, of): (usize, &TypeOf)| of_type(of, &slug(&of.label, at, &mut taken), dimensions);
    types.iter().enumerate().flat_map(of).collect()
}

fn of_type(of: &TypeOf, slug: &str, dimensions: usize) -> Vec<Declared> {
    let told: Vec<&str> = { of.properties.iter() }
        .map(String::as_str)
        .take(MOST_TOLD)
        .collect();
    let told = told.join(", ");
    let mut all = by_names(of, slug, &told);
    all.extend(single_property(of, slug));
    all.extend(by_vectors(of, slug, &told, dimensions));
    all.extend(by_words(of, slug, &told));
    all.retain(|declared| declared.check().is_ok());
    all
}

/// Rows by what they are called.
fn by_names(of: &TypeOf, slug: &str, told: &str) -> Vec<Declared> {
    let label = quoted_name(&of.label);
    let names = of.names.iter().map(|name| {
        let property = quoted_name(&name.property);
        let statement = format!("MATCH (n:{label}) WHERE n.{property} = $name RETURN n");
        let (called, description) = match name.unique {
            true => (
                format!("find_{slug}"),
                format!("Finds a {} by its {}: {told}", of.label, name.property),
            ),
            false => (
                format!("find_{slug}_by_{}", plain(&name.property, "value")),
                format!(
                    "Finds each {} with this {}: {told}",
                    of.label, name.property
                ),
            ),
        };
        let parameters = vec![named(of, name)];
        declared(of, &called, &description, statement, parameters)
    });
    names.collect()
}

/// One property of a row, where there is a name that only one row has.
fn single_property(of: &TypeOf, slug: &str) -> Option<Declared> {
    let name = of.names.first().filter(|name| name.unique)?;
    let choices: Vec<String> = { of.properties.iter() }
        .filter(|property| **property != name.property)
        .take(256)
        .cloned()
        .collect();
    if choices.is_empty() {
        return None;
    }
    let (label, key) = (quoted_name(&of.label), quoted_name(&name.property));
    let statement =
        format!("MATCH (n:{label}) WHERE n.{key} = $name RETURN n[$property] AS value, n");
    let description = format!("One property of a {} by its {}", of.label, name.property);
    let called = format!("property_of_{slug}");
    let which = Parameter {
        kind: Kind::Choice,
        choices,
        ..text("property", "Which property of it")
    };
    let parameters = vec![named(of, name), which];
    Some(declared(of, &called, &description, statement, parameters))
}

/// Rows by what they say, in other words.
fn by_vectors(of: &TypeOf, slug: &str, told: &str, dimensions: usize) -> Vec<Declared> {
    let label = quoted_name(&of.label);
    let vectors = of.vectors.iter().enumerate();
    // Vectors of somebody else's embedder are not to be compared with those of this one.
    let vectors = vectors.filter(|(_, vectors)| vectors.dimensions == dimensions);
    let searches = vectors.map(|(at, vectors)| {
        let statement = format!(
            "MATCH (n:{label}) SEARCH n IN (VECTOR INDEX {} FOR $text LIMIT {NEAREST}) SCORE AS score RETURN n, score",
            quoted_name(&vectors.index)
        );
        let parameter = Parameter {
            embedded: true,
            ..text("text", "What it says, in other words")
        };
        let description = format!(
            "Finds each {} that says something like this, by {}: {told}",
            of.label, vectors.property
        );
        let called = numbered(&format!("search_{slug}"), at);
        declared(of, &called, &description, statement, vec![parameter])
    });
    searches.collect()
}

/// Rows by the words that they have.
fn by_words(of: &TypeOf, slug: &str, told: &str) -> Vec<Declared> {
    let label = quoted_name(&of.label);
    let searches = of.texts.iter().enumerate().map(|(at, index)| {
        let statement = format!(
            "MATCH (n:{label}) SEARCH n IN (FULLTEXT INDEX {} FOR $text LIMIT {NEAREST}) SCORE AS score RETURN n, score",
            quoted_name(index)
        );
        let description = format!("Finds each {} that has these words: {told}", of.label);
        let called = numbered(&format!("words_of_{slug}"), at);
        let parameters = vec![text("text", "The words")];
        declared(of, &called, &description, statement, parameters)
    });
    searches.collect()
}

/// The name of the first query of a kind, and with its number that of each other.
fn numbered(name: &str, at: usize) -> String {
    match at {
        0 => name.to_owned(),
        at => format!("{name}_{}", at + 1),
    }
}

/// What a row is called.
fn named(of: &TypeOf, name: &NameIndex) -> Parameter {
    Parameter {
        of: Some(PropertyOf {
            label: of.label.clone(),
            property: name.property.clone(),
        }),
        ..text("name", &format!("The {} as it is written", name.property))
    }
}

fn declared(
    of: &TypeOf,
    name: &str,
    description: &str,
    statement: String,
    parameters: Vec<Parameter>,
) -> Declared {
    // Names and descriptions have an end, and properties may be many and long.
    let end = description.floor_char_boundary(1000);
    Declared {
        name: name.chars().take(64).collect(),
        description: description[..end].to_owned(),
        statement,
        parameters,
        target: Some(of.label.clone()),
        examples: Vec::new(),
    }
}

fn text(name: &str, description: &str) -> Parameter {
    let end = description.floor_char_boundary(500);
    Parameter {
        name: name.to_owned(),
        kind: Kind::Text,
        description: description[..end].to_owned(),
        required: true,
        embedded: false,
        default: None,
        choices: Vec::new(),
        of: None,
    }
}

/// What a type is called in names of queries, which have letters of ASCII alone: another label has a number.
fn slug(label: &str, at: usize, taken: &mut BTreeSet<String>) -> String {
    let slug = plain(label, "type");
    let slug = match slug == "type" || taken.contains(&slug) {
        true => format!("type_{}", at + 1),
        false => slug,
    };
    taken.insert(slug.clone());
    slug
}

/// A name in small letters of ASCII; `other` for one that has others.
fn plain(name: &str, other: &str) -> String {
    let fits = name.is_ascii() && name.len() <= 24 && !name.is_empty();
    let fits = fits
        && name
            .chars()
            .all(|sign| sign.is_alphanumeric() || sign == '_');
    match fits {
        true => name.to_ascii_lowercase(),
        false => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stratigraph::{Database, Index};

    #[test]
    fn names_of_the_graph_are_names_in_statements() {
        let db = Database::in_memory().unwrap();
        let (label, property) = (r"a\", r"x\`y");
        db.create_index(Index::on_nodes(label, [property])).unwrap();
        let mut txn = db.write().unwrap();
        txn.create_node([label], [(property, "it")]).unwrap();
        txn.commit().unwrap();
        let of = TypeOf {
            label: label.to_owned(),
            names: vec![NameIndex {
                index: "by name".to_owned(),
                property: property.to_owned(),
                unique: true,
            }],
            vectors: Vec::new(),
            texts: Vec::new(),
            properties: BTreeSet::from([property.to_owned(), "b".to_owned()]),
        };
        let all = defaults(&[of], 1);
        assert_eq!(all.len(), 2);
        for declared in all {
            let given = [("name", "it"), ("property", "b")];
            let given = given[..declared.parameters.len()].to_vec();
            let rows = db.query(&declared.statement, given).unwrap();
            let rows = rows.finish().unwrap().rows();
            assert_eq!(rows, 1, "{}", declared.statement);
        }
    }
}
