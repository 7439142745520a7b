//! The style of the protocol: the rules of `buf lint` that matter to readers and generators of other languages, read
//! from the descriptors, and two of our own: requests begin with `database`, and everything has a comment.

mod described;

use described::{described, sources};
use prost_reflect::{DescriptorPool, EnumDescriptor, FileDescriptor, MessageDescriptor};
use std::collections::{BTreeMap, BTreeSet};

/// Requests that name no database, and why.
const WITHOUT_DATABASE: &[(&str, &str)] = &[
    ("ListDatabasesRequest", "it is about all of them"),
    ("BulkWriteRequest", "its first part does"),
    ("UpsertDocumentsRequest", "its first part does"),
    ("UpsertTablesRequest", "its first part does"),
];

#[test]
fn the_files_keep_to_the_style() {
    let found = lint(&described(&sources()));
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Each rule sees its fault: a rule that never fails would be no rule.
#[test]
fn each_rule_sees_its_fault() {
    let faults = [
        ("message Row {", "message row {", "PascalCase"),
        (
            "service QueryService",
            "service Queries",
            "end with Service",
        ),
        (
            "repeated Value values = 1;\n}\n\n// What is known after",
            "repeated Value Values = 1;\n}\n\n// What is known after",
            "lower_snake",
        ),
        (
            "oneof part {\n    // The first part.\n    QueryHeader",
            "oneof Part {\n    // The first part.\n    QueryHeader",
            "lower_snake",
        ),
        (
            "EXECUTION_MODE_EXPLAIN",
            "EXPLAIN",
            "begin with EXECUTION_MODE_",
        ),
        (
            "EXECUTION_MODE_UNSPECIFIED",
            "EXECUTION_MODE_USUAL",
            "_UNSPECIFIED",
        ),
        ("  // The rows, in order.\n", "", "comment"),
        ("// One row.\n", "", "comment"),
        (
            "rpc Query(QueryRequest)",
            "rpc Query(Statement)",
            "QueryRequest",
        ),
        (
            "  // The id of the statement.\n  string prepared_id = 2;",
            "  // The id of the statement.\n  string prepared_id = 1;\n  // Last.\n  string database = 2;",
            "database",
        ),
    ];
    for (text, fault, rule) in faults {
        let mut sources = sources();
        let query = sources.get_mut("stratigraph/v1/query.proto").unwrap();
        assert!(query.contains(text), "{text}");
        let mut changed = query.replacen(text, fault, 1);
        if rule == "PascalCase" {
            changed = changed.replace("repeated Row rows", "repeated row rows");
        }
        if rule == "database" {
            let start = "message ForgetStatementRequest {\n  // The database; empty for the server's default one.\n  string database = 1;\n";
            assert!(changed.contains(start));
            changed = changed.replace(start, "message ForgetStatementRequest {\n");
        }
        *query = changed;
        let found = lint(&described(&sources));
        assert!(
            found.iter().any(|one| one.contains(rule)),
            "{fault}: {found:?}"
        );
    }
}

/// What does not keep to the style, a line each.
fn lint(pool: &DescriptorPool) -> Vec<String> {
    let mut found = Vec::new();
    for file in pool.files() {
        if !file.name().starts_with("stratigraph/") {
            continue;
        }
        if file.package_name() != "stratigraph.v1" {
            found.push(format!(
                "{}: its package is not that of its folder",
                file.name()
            ));
        }
        // 12 is `syntax`: what stands above it is about the file.
        comment(&file, &[12], file.name(), &mut found);
    }
    for message in pool.all_messages() {
        if message.package_name() == "stratigraph.v1" && !message.is_map_entry() {
            lint_message(&message, &mut found);
        }
    }
    for one in pool.all_enums() {
        if one.package_name() == "stratigraph.v1" {
            lint_enum(&one, &mut found);
        }
    }
    lint_services(pool, &mut found);
    found
}

fn lint_message(message: &MessageDescriptor, found: &mut Vec<String>) {
    let name = message.full_name();
    let file = message.parent_file();
    if !pascal(message.name()) {
        found.push(format!("{name}: names of messages are PascalCase"));
    }
    comment(&file, message.path(), name, found);
    for field in message.fields() {
        if !snake(field.name()) {
            found.push(format!(
                "{}: names of fields are lower_snake",
                field.full_name()
            ));
        }
        comment(&file, field.path(), field.full_name(), found);
    }
    for oneof in message.oneofs().filter(|oneof| !oneof.is_synthetic()) {
        if !snake(oneof.name()) {
            found.push(format!(
                "{}: names of oneofs are lower_snake",
                oneof.full_name()
            ));
        }
        comment(&file, oneof.path(), oneof.full_name(), found);
    }
    if message.name().ends_with("Request")
        && !WITHOUT_DATABASE
            .iter()
            .any(|(name, _)| *name == message.name())
        && message
            .get_field(1)
            .is_none_or(|field| field.name() != "database")
    {
        found.push(format!("{name}: field 1 of a request is `database`"));
    }
}

fn lint_enum(one: &EnumDescriptor, found: &mut Vec<String>) {
    let name = one.full_name();
    let file = one.parent_file();
    if !pascal(one.name()) {
        found.push(format!("{name}: names of enums are PascalCase"));
    }
    comment(&file, one.path(), name, found);
    let prefix = format!("{}_", upper(one.name()));
    for value in one.values() {
        if !value.name().starts_with(&prefix) {
            found.push(format!("{}: values begin with {prefix}", value.full_name()));
        }
        comment(&file, value.path(), value.full_name(), found);
    }
    let zero = one.get_value(0);
    if zero.is_none_or(|zero| zero.name() != format!("{prefix}UNSPECIFIED")) {
        found.push(format!("{name}: value 0 is {prefix}UNSPECIFIED"));
    }
}

fn lint_services(pool: &DescriptorPool, found: &mut Vec<String>) {
    let mut uses: BTreeMap<String, u32> = BTreeMap::new();
    let mut names = BTreeSet::new();
    for service in pool.services() {
        let file = service.parent_file();
        if !pascal(service.name()) || !service.name().ends_with("Service") {
            found.push(format!(
                "{}: services are PascalCase and end with Service",
                service.full_name()
            ));
        }
        comment(&file, service.path(), service.full_name(), found);
        for method in service.methods() {
            let name = method.full_name();
            if !pascal(method.name()) {
                found.push(format!("{name}: names of methods are PascalCase"));
            }
            if !names.insert(method.name().to_owned()) {
                found.push(format!("{name}: another service has a method of that name"));
            }
            comment(&file, method.path(), name, found);
            for (message, wanted) in [
                (method.input(), format!("{}Request", method.name())),
                (method.output(), format!("{}Response", method.name())),
            ] {
                if message.name() != wanted {
                    found.push(format!(
                        "{name}: takes or gives {}, not {wanted}",
                        message.name()
                    ));
                }
                *uses.entry(message.full_name().to_owned()).or_default() += 1;
            }
        }
    }
    for (message, uses) in uses {
        if uses > 1 {
            found.push(format!(
                "{message}: used by {uses} methods: each has its own"
            ));
        }
    }
}

/// Whether something stands above it that says what it is.
fn comment(file: &FileDescriptor, path: &[i32], name: &str, found: &mut Vec<String>) {
    let proto = file.file_descriptor_proto();
    let locations = proto
        .source_code_info
        .iter()
        .flat_map(|info| &info.location);
    let said = locations
        .filter(|location| location.path == path)
        .any(|location| location.leading_comments().trim().len() > 3);
    if !said {
        found.push(format!("{name}: has no comment"));
    }
}

fn pascal(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.chars().all(|one| one.is_ascii_alphanumeric())
        && name.chars().any(|one| one.is_ascii_lowercase())
}

fn snake(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name
            .chars()
            .all(|one| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '_')
        && !name.contains("__")
        && !name.ends_with('_')
}

/// `ExecutionMode` as `EXECUTION_MODE`.
fn upper(name: &str) -> String {
    let mut upper = String::new();
    for one in name.chars() {
        if one.is_ascii_uppercase() && !upper.is_empty() {
            upper.push('_');
        }
        upper.push(one.to_ascii_uppercase());
    }
    upper
}
