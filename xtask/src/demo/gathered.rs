//! What is drawn of a question: its descent, the passages under the best headings, what these name, and what is stated of that.
//!
//! It asks by statements, through whatever it is given, and knows no program: a test of the command line asks through it too.

use super::picture::{Node, Picture};
use std::collections::{BTreeMap, BTreeSet};

/// So many headings are gone into, and so many facts are shown of one thing.
const HEADINGS: usize = 5;
const FACTS: usize = 4;

/// Rows of a statement, each cell as text.
type Rows = Vec<Vec<String>>;

/// Asks for all of it.
///
/// # Errors
/// Those of whoever is asked; rows of another shape.
pub(crate) fn picture(
    question: &str,
    ask: &mut dyn FnMut(&str) -> Result<Rows, String>,
) -> Result<Picture, String> {
    let headings = ask(&format!(
        "CALL rag.call('descent', {{question: {}}}) YIELD values \
         RETURN values.heading, values.title, values.level, values.score, values.status",
        literal(question)
    ))?;
    let mut nodes = headings
        .iter()
        .map(|row| heading(row))
        .collect::<Result<Vec<_>, _>>()?;
    let mut best: Vec<&Node> = nodes.iter().filter(|node| stayed(node)).collect();
    best.sort_by(|a, b| {
        b.score
            .unwrap_or(0.0)
            .total_cmp(&a.score.unwrap_or(0.0))
            .then_with(|| a.key.cmp(&b.key))
    });
    let best: Vec<String> = best
        .into_iter()
        .take(HEADINGS)
        .map(|node| literal(&node.key))
        .collect();
    let below = ask(&format!(
        "MATCH (s:Section)-[:HAS_CHILD]->(c:Chunk) WHERE s.heading IN [{}] \
         OPTIONAL MATCH (c)-[:MENTIONS]->(e:Entity)-[f:FACT]->(o:Entity) \
         RETURN s.heading, c.key, c.text, coalesce(e.name, ''), coalesce(f.predicate + ' ' + o.name, '') \
         ORDER BY s.heading, c.key, e.name, f.predicate, o.name",
        best.join(", ")
    ))?;
    nodes.extend(what_lies_below(&below));
    let columns = [
        "documents",
        "headings",
        "headings below",
        "passages",
        "things they name",
        "facts from the register",
    ];
    Ok(Picture {
        title: question.to_owned(),
        columns: columns.map(str::to_owned).into(),
        nodes,
    })
}

fn stayed(node: &Node) -> bool {
    matches!(node.status.as_str(), "kept" | "recovered")
}

fn heading(row: &[String]) -> Result<Node, String> {
    let [heading, title, level, score, status] = row else {
        return Err(format!("the descent gave {} columns, not 5", row.len()));
    };
    // The way a heading is written ends with its own title.
    let above = heading.strip_suffix(&format!(" > {title}"));
    Ok(Node {
        key: heading.clone(),
        column: level
            .parse()
            .map_err(|_| format!("`{level}` is no level"))?,
        name: title.clone(),
        status: status.clone(),
        score: score.parse().ok(),
        under: above.map(str::to_owned).into_iter().collect(),
    })
}

/// Rows of heading, passage, its text, thing, and fact become boxes in three columns.
fn what_lies_below(rows: &[Vec<String>]) -> Vec<Node> {
    let mut boxes: BTreeMap<(usize, String), (String, BTreeSet<String>)> = BTreeMap::new();
    let mut add = |column, key: &str, name: &str, under: &str| {
        let entry = boxes.entry((column, key.to_owned()));
        let (_, all) = entry.or_insert_with(|| (name.to_owned(), BTreeSet::new()));
        all.insert(under.to_owned());
    };
    let mut facts: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for row in rows {
        let [heading, passage, text, thing, fact] = row.as_slice() else {
            continue;
        };
        add(
            3,
            passage,
            &text.split_whitespace().collect::<Vec<_>>().join(" "),
            heading,
        );
        if thing.is_empty() || fact.is_empty() {
            continue;
        }
        let told = facts.entry(thing).or_default();
        if told.len() < FACTS || told.contains(fact.as_str()) {
            told.insert(fact);
            let named = format!("thing {thing}");
            add(4, &named, thing, passage);
            add(5, &format!("{named} {fact}"), fact, &named);
        }
    }
    let node =
        |((column, key), (name, under)): ((usize, String), (String, BTreeSet<String>))| Node {
            key,
            column,
            name,
            status: "below".to_owned(),
            score: None,
            under: under.into_iter().collect(),
        };
    boxes.into_iter().map(node).collect()
}

/// A text as the language writes it.
pub(crate) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// The values of a line of the form `plain`.
pub(crate) fn cells(line: &str) -> Vec<String> {
    line.split('\t')
        .map(|cell| cell.replace("\\n", " ").replace("\\t", " "))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(lines: &[&str]) -> Vec<Vec<String>> {
        let cells = |line: &&str| line.split('|').map(str::to_owned).collect();
        lines.iter().map(cells).collect()
    }

    #[test]
    fn rows_become_boxes_that_hang_on_each_other() {
        let headings = rows(&[
            "Rocks|Rocks|0|0.1|cut",
            "Rocks > Basalt|Basalt|1|0.8|recovered",
            "Water|Water|0|0.5|kept",
        ]);
        let below = rows(&[
            "Rocks > Basalt|c1|Black.|Light|is built of Basalt",
            "Rocks > Basalt|c1|Black.|Light|is a light",
            "Water|c2|Wet.||",
        ]);
        let mut asked = Vec::new();
        let mut answers = [below, headings];
        let mut left = answers.len();
        let drawn = picture("Who's there?", &mut |statement| {
            asked.push(statement.to_owned());
            left -= 1;
            Ok(std::mem::take(&mut answers[left]))
        });
        let drawn = drawn.unwrap();
        assert!(asked[0].contains("'Who\\'s there?'"), "{asked:?}");
        // The nearest first, and nothing that was cut.
        assert!(
            asked[1].contains("IN ['Rocks > Basalt', 'Water']"),
            "{asked:?}"
        );
        let find = |key: &str| drawn.nodes.iter().find(|node| node.key == key).unwrap();
        assert_eq!(find("Rocks > Basalt").under, ["Rocks"]);
        assert_eq!(find("c1").under, ["Rocks > Basalt"]);
        assert_eq!((find("c2").column, find("c2").name.as_str()), (3, "Wet."));
        assert_eq!(find("thing Light").under, ["c1"]);
        assert_eq!(
            drawn.nodes.iter().filter(|node| node.column == 5).count(),
            2
        );
    }

    #[test]
    fn another_shape_of_rows_is_an_error() {
        let drawn = picture("?", &mut |_| Ok(rows(&["one|two"])));
        assert!(drawn.unwrap_err().contains("2 columns"));
    }
}
