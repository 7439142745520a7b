use super::*;
use proptest::prelude::*;
use std::fs;
use tempfile::TempDir;

mod ends;
mod sent;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn mapping(folder: &TempDir, text: &str) -> Result<TableMapping, String> {
    let path = folder.path().join("mapping.toml");
    fs::write(&path, text).unwrap();
    TableMapping::read(&path).map_err(|error| error.to_string())
}

/// Each node and relationship in a line, and each error.
fn stated(mapping: &TableMapping) -> Vec<String> {
    let show = |typed: Typed| match typed {
        Typed::Node(node) => {
            let properties: Vec<_> = node
                .properties
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            let embed: Vec<_> = node
                .embed
                .iter()
                .map(|(vector, text)| format!(" {vector}<{text}>"))
                .collect();
            format!(
                "{}:{} ({}:{}) {}{}",
                node.origin.file,
                node.origin.line,
                node.key.label,
                node.key.key,
                properties.join(" "),
                embed.concat()
            )
        }
        Typed::Edge(edge) => {
            let properties: Vec<_> = edge
                .properties
                .iter()
                .map(|(name, value)| format!(" {name}={value}"))
                .collect();
            format!(
                "{}:{} ({}:{})-{}{}->({}:{})",
                edge.origin.file,
                edge.origin.line,
                edge.from.label,
                edge.from.key,
                edge.kind,
                properties.concat(),
                edge.to.label,
                edge.to.key
            )
        }
    };
    let rows = mapping.rows();
    rows.map(|row| row.map_or_else(|error| error.to_string(), show))
        .collect()
}

/// The audit system: five types of nodes, five of relationships.
const AUDIT: &str = r#"
[[nodes]]
file = "issues.csv"
label = "Issue"
key = "no"
metadata = ["monetary"]
[nodes.properties]
description = "string"
monetary = { from = "is_monetary", type = "boolean" }
[nodes.embed]
description_vector = "description"
[[nodes.links]]
type = "QUALIFIED_BY"
column = "clauses"
split = "|"
to = "Clause"
[[nodes.links]]
type = "CONTAINS"
column = "content"
from = "Content"

[[nodes]]
file = "basis.jsonl"
when = { column = "kind", is = "document" }
label = "Document"
key = "name"
metadata = ["effective"]
[nodes.properties]
name = "string"
number = "string"
effective = "date"
[nodes.embed]
name_vector = ["name", "number"]

[[nodes]]
file = "basis.jsonl"
when = { column = "kind", is = ["clause"] }
label = "Clause"
key = "id"
[nodes.properties]
text = "string"
[nodes.embed]
clause_vector = "text"
[[nodes.links]]
type = "BELONGS_TO"
column = "document"
to = "Document"

[[nodes]]
file = "contents.csv"
label = { column = "kind", of = { "内容" = "Content", "重点" = "Focus" } }
key = "name"
[nodes.properties]
name = "string"

[[relationships]]
file = "contains.tsv"
type = { column = "type", of = ["CONTAINS"] }
from = { label = "Focus", column = "focus" }
to = { label = "Content", column = "content" }
[relationships.properties]
weight = "float"
"#;

fn audit() -> TempDir {
    folder(&[
        (
            "issues.csv",
            "no,description,is_monetary,clauses,content\n1,\"Paid, twice\",true,7|8,Payments\n2,,,,\n",
        ),
        (
            "basis.jsonl",
            "{\"kind\":\"document\",\"name\":\"Law\",\"number\":\"No. 60\",\"effective\":\"2023-05-01\"}\n\
             {\"kind\":\"clause\",\"id\":7,\"text\":\"Pay once.\",\"document\":[\"Law\"]}\n\
             {\"kind\":\"note\"}\n",
        ),
        (
            "contents.csv",
            "kind,name\n内容,Payments\n重点,Money\n表,x\n",
        ),
        (
            "contains.tsv",
            "type\tfocus\tcontent\tweight\nCONTAINS\tMoney\tPayments\t0.5\nDROPS\tMoney\tPayments\t\n",
        ),
    ])
}

#[test]
fn the_audit_graph_comes_from_its_tables() {
    let folder = audit();
    let mapping = mapping(&folder, AUDIT).unwrap();
    assert_eq!(
        stated(&mapping),
        [
            "issues.csv:2 (Issue:1) description='Paid, twice' monetary=true description_vector<Paid, twice>",
            "issues.csv:2 (Issue:1)-QUALIFIED_BY->(Clause:7)",
            "issues.csv:2 (Issue:1)-QUALIFIED_BY->(Clause:8)",
            "issues.csv:2 (Content:Payments)-CONTAINS->(Issue:1)",
            "issues.csv:3 (Issue:2) ",
            "basis.jsonl:1 (Document:Law) effective='2023-05-01' name='Law' number='No. 60' name_vector<Law\nNo. 60>",
            "basis.jsonl:2 (Clause:7) text='Pay once.' clause_vector<Pay once.>",
            "basis.jsonl:2 (Clause:7)-BELONGS_TO->(Document:Law)",
            "contents.csv:2 (Content:Payments) name='Payments'",
            "contents.csv:3 (Focus:Money) name='Money'",
            "contents.csv, line 4: kind: \"表\" is not among what the mapping lists; mend the record",
            "contains.tsv:2 (Focus:Money)-CONTAINS weight=0.5->(Content:Payments)",
            "contains.tsv, line 3: type: \"DROPS\" is not among what the mapping lists; mend the record",
        ]
    );
    let mut rows = mapping.rows();
    rows.by_ref().for_each(drop);
    assert_eq!(rows.untaken(), 1);
    let schema = mapping.schema();
    let labels: Vec<&str> = schema.labels.keys().map(|label| &**label).collect();
    assert_eq!(labels, ["Clause", "Content", "Document", "Focus", "Issue"]);
    assert!(
        schema.labels["Issue"]
            .vectors
            .contains("description_vector")
    );
    assert!(schema.labels["Issue"].metadata.contains("monetary"));
    let types: Vec<String> = schema
        .types
        .iter()
        .map(|(kind, from, to)| format!("{from}-{kind}-{to}"))
        .collect();
    assert_eq!(
        types,
        [
            "Clause-BELONGS_TO-Document",
            "Content-CONTAINS-Issue",
            "Focus-CONTAINS-Content",
            "Issue-QUALIFIED_BY-Clause"
        ]
    );
}

#[test]
fn thirteen_types_in_one_file_are_chosen_from_a_list() {
    let tables = [
        "公园",
        "加油站",
        "医疗机构",
        "协会",
        "图书馆",
        "学校",
        "宗教场所",
        "政府机构",
        "旅游景点",
        "旅行社",
        "自然保护区",
        "行政区",
        "许可证",
    ];
    let mut lines = String::new();
    for (at, table) in tables.iter().enumerate() {
        // Some have an id, some a name, some both.
        let key = match at % 3 {
            0 => format!("\"id\":\"k{at}\",\"name\":\"n{at}\""),
            1 => format!("\"name\":\"n{at}\""),
            _ => format!("\"id\":{at},\"name\":null"),
        };
        lines += &format!("{{\"table\":\"{table}\",{key},\"city\":\"杭州市\"}}\n");
    }
    lines += "{\"table\":\"人物\",\"name\":\"x\"}\n{\"table\":\"公园\"}\n";
    let folder = folder(&[("entities.jsonl", &lines)]);
    let list: Vec<String> = tables.iter().map(|table| format!("{table:?}")).collect();
    let text = format!(
        "[[nodes]]\nfile = 'entities.jsonl'\nlabel = {{ column = 'table', of = [{}] }}\nkey = ['id', 'name']\nmetadata = ['city']\n",
        list.join(",")
    );
    let mapping = mapping(&folder, &text).unwrap();
    let stated = stated(&mapping);
    assert_eq!(stated.len(), 15);
    assert!(
        stated[0].starts_with("entities.jsonl:1 (公园:k0) city='杭州市' id='k0'"),
        "{}",
        stated[0]
    );
    assert!(stated[1].starts_with("entities.jsonl:2 (加油站:n1)"));
    assert!(stated[2].starts_with("entities.jsonl:3 (医疗机构:2) city='杭州市' id=2"));
    assert!(stated[13].contains("line 14: table: \"人物\" is not among"));
    assert!(stated[14].contains("line 15: there is no key"));
    assert_eq!(mapping.schema().labels.len(), 13);
}

#[test]
fn a_mapping_that_makes_no_sense_is_refused() {
    let folder = folder(&[("a.csv", "id,x\n1,2\n")]);
    let nodes = "[[nodes]]\nfile = 'a.csv'\nlabel = 'A'\nkey = 'id'\n";
    let cases = [
        ("", "it maps no file"),
        (
            "[[nodes]]\nfile = 'a.csv'\nkey = 'id'",
            "line 1, column 1: missing field `label`",
        ),
        (
            "[[nodes]]\nfile = '../a.csv'\nlabel = 'A'\nkey = 'id'",
            "[[nodes]] 1 (../a.csv): ../a.csv: files lie in the folder",
        ),
        (
            "[[nodes]]\nfile = 'a.csv'\nlabel = ''\nkey = 'id'",
            "is no name",
        ),
        ("[[nodes]]\nfile = 'a.csv'\nlabel = 'A'\nkey = []", "`key`"),
        (
            "[[nodes]]\nfile = 'a.csv'\nlabel = { column = 'x', of = [] }\nkey = 'id'",
            "list what the column",
        ),
        (
            &format!("{nodes}[nodes.properties]\nx = 'strin'"),
            "`strin` is no type",
        ),
        (
            &format!("{nodes}metadata = ['y']\n[nodes.properties]\nx = 'int'"),
            "`y` is metadata",
        ),
        (
            &format!("{nodes}[nodes.properties]\nx = 'int'\n[nodes.embed]\nv = 'y'"),
            "`v` embeds `y`",
        ),
        (
            &format!("{nodes}[nodes.properties]\nx = 'int'\n[nodes.embed]\nx = 'x'"),
            "a name of its own",
        ),
        (
            &format!("{nodes}[[nodes.links]]\ntype = 'T'\ncolumn = 'x'"),
            "`to` or `from`",
        ),
        (
            &format!("{nodes}[[nodes.links]]\ntype = 'T'\ncolumn = 'x'\nto = 'B'\nsplit = ''"),
            "splits at nothing",
        ),
        (&format!("{nodes}kee = 1"), "unknown field `kee`"),
        ("[[nodes", "mapping.toml, line 1"),
    ];
    for (text, said) in cases {
        let why = mapping(&folder, text).unwrap_err();
        assert!(why.contains(said), "{text}: {why}");
    }
}

#[test]
fn tables_in_another_encoding_are_told_how_to_convert_them() {
    let folder = folder(&[]);
    let wide = "\u{feff}id\tx\r\n1\t2\r\n".encode_utf16();
    let wide: Vec<u8> = wide.flat_map(u16::to_le_bytes).collect();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("excel.tsv"), wide).unwrap();
    fs::write(path("old.csv"), b"id,x\n1,\xE9\n").unwrap();
    fs::write(path("old.jsonl"), b"{\"id\":\"\xE9\"}\n").unwrap();
    for (file, place) in [
        ("excel.tsv", "line 1, column 1"),
        ("old.csv", "line 2, column 3"),
        ("old.jsonl", "line 1"),
    ] {
        let rule = format!("[[nodes]]\nfile = '{file}'\nlabel = 'A'\nkey = 'id'\n");
        let said = stated(&mapping(&folder, &rule).unwrap());
        let begins = format!("{file}, {place}: this is not text in UTF-8; convert the file first");
        assert!(
            said[0].starts_with(&begins) && said[0].contains("`-f UTF-16`"),
            "{said:?}"
        );
    }
}

#[test]
fn broken_files_are_told_with_their_places_and_the_rest_goes_on() {
    let folder = folder(&[
        ("twice.csv", "id,id\n1,2\n"),
        ("other.csv", "ident,x\n1,2\n"),
        ("empty.csv", ""),
        ("open.csv", "id,x\n1,2\n2,\"x\n"),
        ("bad.csv", "id,x\n1,ten\n2\n3,30\n"),
        (
            "bad.jsonl",
            "{\"id\":1,\"x\":\"ten\"}\n{\"id\":1\n{\"id\":[1],\"x\":1}\n{\"id\":4,\"y\":1}\n",
        ),
        ("picture.png", "no table"),
    ]);
    let mut text = String::new();
    let files = [
        "missing.csv",
        "picture.png",
        "twice.csv",
        "other.csv",
        "empty.csv",
        "open.csv",
        "bad.csv",
        "bad.jsonl",
    ];
    for file in files {
        text += &format!(
            "[[nodes]]\nfile = '{file}'\nlabel = 'A'\nkey = 'id'\n[nodes.properties]\nx = 'int'\n"
        );
    }
    let mapping = mapping(&folder, &text).unwrap();
    let tables = files.iter().filter(|file| **file != "picture.png");
    let tables = tables.filter_map(|file| fs::metadata(folder.path().join(file)).ok());
    let bytes: u64 = tables.map(|table| table.len()).sum();
    assert!(
        bytes > 0 && mapping.bytes() == bytes,
        "what is read of them"
    );
    let stated = stated(&mapping);
    let expected = [
        "missing.csv: it cannot be read: it is not there; look for a slip in the mapping",
        "picture.png: this is no table",
        "twice.csv, line 1, column 4: the columns 1 and 2 are both \"id\"",
        "other.csv, line 1: there is no column \"id\"",
        "empty.csv, line 1: the file is empty",
        "open.csv:2 (A:1) x=2",
        "open.csv, line 3, column 3: a quote is opened here and never closed",
        "bad.csv, line 2, column 3: x: \"ten\" is not of the type int",
        "bad.csv, line 3: this record has 1 fields and the header 2",
        "bad.csv:4 (A:3) x=30",
        "bad.jsonl, line 1: x: \"ten\" is not of the type int",
        "bad.jsonl, line 2, column 7: EOF",
        "bad.jsonl, line 3: id: a key is a text",
        "bad.jsonl:4 (A:4) ",
    ];
    assert_eq!(stated.len(), expected.len(), "{stated:#?}");
    for (stated, expected) in stated.iter().zip(expected) {
        assert!(stated.starts_with(expected), "{stated}");
    }
}

#[test]
fn what_one_row_may_bring_is_bounded() {
    let many = ["1"; 10_001].join(",");
    let header: Vec<String> = (0..10_001).map(|at| format!("c{at}")).collect();
    let folder = folder(&[
        (
            "a.jsonl",
            &format!("{{\"id\":1,\"to\":[{many}]}}\n{{\"id\":2,\"to\":[1]}}\n"),
        ),
        ("b.csv", &format!("id,to\n1,\"{many},1\"\n")),
        ("c.csv", &format!("id,to,{}\n", header.join(","))),
    ]);
    let mut text = String::new();
    for file in ["a.jsonl", "b.csv", "c.csv"] {
        text +=
            &format!("[[nodes]]\nfile = '{file}'\nlabel = 'A'\nkey = 'id'\n[nodes.properties]\n");
        text += "[[nodes.links]]\ntype = 'T'\ncolumn = 'to'\nsplit = ','\nto = 'B'\n";
    }
    let told = stated(&mapping(&folder, &text).unwrap());
    assert!(
        told[0].contains("line 1: to: 10001 keys in one cell"),
        "{}",
        told[0]
    );
    assert_eq!(told[2], "a.jsonl:2 (A:2)-T->(B:1)");
    assert!(
        told[3].contains("b.csv, line 2: to: 10001 keys"),
        "{}",
        told[3]
    );
    assert!(told.last().unwrap().contains("10003 columns"));
}

#[test]
fn a_column_that_no_object_has_is_a_slip() {
    let folder = folder(&[("a.jsonl", "{\"id\":1,\"name\":\"x\"}\n")]);
    let rule = |when: &str| {
        format!(
            "[[nodes]]\nfile = 'a.jsonl'\n{when}label = 'A'\nkey = 'id'\n[nodes.properties]\nnmae = 'string'\n"
        )
    };
    let told = stated(&mapping(&folder, &rule("")).unwrap());
    assert!(
        told[1].contains("a.jsonl: the mapping names \"nmae\", which no record has"),
        "{told:?}"
    );
    // A rule that no record was for says nothing.
    let when = "when = { column = 'id', is = '2' }\n";
    assert!(stated(&mapping(&folder, &rule(when)).unwrap()).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_are_read_to_an_end(bytes in proptest::collection::vec(any::<u8>(), 0..80), text in "[a-c,\"\\n{}:\\[\\]1]{0,60}") {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in [("a.csv", &bytes[..]), ("b.jsonl", &bytes[..]), ("c.csv", text.as_bytes()), ("d.jsonl", text.as_bytes())] {
            fs::write(folder.path().join(name), bytes).unwrap();
            let map = format!("[[nodes]]\nfile = '{name}'\nlabel = 'A'\nkey = 'a'\n[[nodes.links]]\ntype = 'T'\ncolumn = 'b'\nto = 'B'\n");
            let mapping = mapping(&folder, &map).unwrap();
            prop_assert!(stated(&mapping).len() <= 3 * (bytes.len() + 100));
        }
        // Nor does a mapping of any bytes do harm.
        let path = folder.path().join("mapping.toml");
        fs::write(&path, &bytes).unwrap();
        let _ = TableMapping::read(&path);
    }
}

#[test]
fn what_is_embedded_of_unlisted_columns_is_looked_for() {
    let csv = folder(&[("t.csv", "id,text\n1,old\n")]);
    let rows = "[[nodes]]\nfile = \"t.csv\"\nlabel = \"L\"\nkey = \"id\"\n";
    for (more, said) in [
        ("[nodes.embed]\nvector = \"texd\"\n", "no column \"texd\""),
        ("metadata = [\"yeer\"]\n", "no column \"yeer\""),
        (
            "[nodes.embed]\ntext = \"id\"\n",
            "text: this column has the name of a property that holds a vector",
        ),
    ] {
        let mapping = mapping(&csv, &format!("{rows}{more}")).unwrap();
        let stated = stated(&mapping);
        assert!(stated.iter().any(|line| line.contains(said)), "{stated:?}");
    }
    let good = mapping(&csv, &format!("{rows}[nodes.embed]\nvector = \"text\"\n")).unwrap();
    assert_eq!(stated(&good).len(), 1);
    // Of JSON lines it is told at the end.
    let json = folder(&[("t.csv", ""), ("t.jsonl", "{\"id\":1,\"text\":\"old\"}\n")]);
    let rows = rows.replace("t.csv", "t.jsonl");
    let mapping = mapping(&json, &format!("{rows}[nodes.embed]\nvector = \"texd\"\n")).unwrap();
    let stated = stated(&mapping);
    assert!(
        stated[1].contains("\"texd\", which no record has"),
        "{stated:?}"
    );
}

#[test]
fn rows_end_when_they_are_cancelled_also_where_no_rule_takes_any() {
    let rows = "kind\n".to_owned() + &"x\n".repeat(1000);
    let text = "[[nodes]]\nfile = 'a.csv'\nlabel = 'A'\nkey = 'kind'\nwhen = { column = 'kind', is = 'y' }\n";
    let mut mapping = TableMapping::parse("audit.toml", text).unwrap();
    mapping.send("a.csv", rows.into_bytes()).unwrap();
    let cancel = stratigraph::storage::cancel::CancelToken::new();
    let mut all = mapping.rows().cancel(&cancel);
    assert!(all.next().is_none() && all.untaken() == 1000);
    cancel.cancel();
    let mut none = mapping.rows().cancel(&cancel);
    assert!(none.next().is_none() && none.untaken() == 0);
}
