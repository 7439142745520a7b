//! The part of Gherkin that feature files of a query language use: backgrounds, scenarios, outlines
//! with examples, tables, texts between `"""`, comments and tags.
//!
//! Outlines are expanded here. It must never know what a step means.
//!
//! Next: `steps.rs`.

use anyhow::{Result, bail};

/// A scenario with the steps of its background, and the values of its example filled in.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The number in brackets before its name, or its place in the file.
    pub(super) number: String,
    pub(super) name: String,
    pub(super) line: usize,
    /// Which example of an outline it is, from 1.
    pub(super) example: Option<usize>,
    pub(super) steps: Vec<Step>,
}

/// A step: its sentence without the first word, and what stands below it.
#[derive(Clone, Debug, Default)]
pub(super) struct Step {
    pub(super) sentence: String,
    pub(super) table: Vec<Vec<String>>,
    pub(super) text: Option<String>,
}

#[derive(Default)]
struct Block {
    name: String,
    line: usize,
    outline: bool,
    steps: Vec<Step>,
    /// Tables of examples, each with its header.
    examples: Vec<Vec<Vec<String>>>,
}

/// What the current lines belong to.
#[derive(PartialEq)]
enum Within {
    Feature,
    Background,
    Scenario,
    Examples,
}

/// Takes a file apart.
pub(super) fn parse(text: &str) -> Result<Vec<Found>> {
    let mut background: Vec<Step> = Vec::new();
    let mut blocks: Vec<Block> = Vec::new();
    let mut within = Within::Feature;
    let mut lines = text.lines().enumerate();
    while let Some((index, whole)) = lines.next() {
        let line = whole.trim();
        let number = index + 1;
        if line.is_empty() || line.starts_with(['#', '@']) {
            continue;
        }
        if let Some((keyword, name)) = heading(line) {
            within = match keyword {
                "Feature" | "Rule" => Within::Feature,
                "Background" => Within::Background,
                "Examples" | "Scenarios" => {
                    let Some(block) = blocks.last_mut() else {
                        bail!("line {number}: examples without a scenario");
                    };
                    block.examples.push(Vec::new());
                    Within::Examples
                }
                _ => {
                    blocks.push(Block {
                        name: name.to_owned(),
                        line: number,
                        outline: keyword.ends_with("Outline") || keyword.ends_with("Template"),
                        ..Block::default()
                    });
                    Within::Scenario
                }
            };
            continue;
        }
        let block = blocks.last_mut();
        let steps = match (&within, block) {
            // Free text may describe a feature.
            (Within::Feature, _) | (Within::Scenario | Within::Examples, None) => continue,
            (Within::Background, _) => &mut background,
            (Within::Examples, Some(block)) => {
                if let (Some(table), true) = (block.examples.last_mut(), line.starts_with('|')) {
                    table.push(row(line));
                }
                continue;
            }
            (Within::Scenario, Some(block)) => &mut block.steps,
        };
        if line.starts_with('|') {
            let Some(step) = steps.last_mut() else {
                bail!("line {number}: a table without a step");
            };
            step.table.push(row(line));
        } else if line.starts_with("\"\"\"") {
            let Some(step) = steps.last_mut() else {
                bail!("line {number}: a text without a step");
            };
            let indent = whole.len() - whole.trim_start().len();
            let mut content = Vec::new();
            loop {
                match lines.next() {
                    None => bail!("line {number}: a text that does not end"),
                    Some((_, line)) if line.trim() == "\"\"\"" => break,
                    Some((_, line)) => content.push(unindented(line, indent)),
                }
            }
            step.text = Some(content.join("\n"));
        } else if let Some(sentence) = sentence(line) {
            steps.push(Step {
                sentence: sentence.to_owned(),
                ..Step::default()
            });
        } else if !steps.is_empty() {
            bail!("line {number}: `{line}` is no step");
        }
    }
    let mut found = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        expand(block, index + 1, &background, &mut found)?;
    }
    Ok(found)
}

fn heading(line: &str) -> Option<(&str, &str)> {
    const HEADINGS: [&str; 9] = [
        "Feature",
        "Rule",
        "Background",
        "Scenario",
        "Scenario Outline",
        "Scenario Template",
        "Example",
        "Examples",
        "Scenarios",
    ];
    let (keyword, name) = line.split_once(':')?;
    HEADINGS.contains(&keyword).then(|| (keyword, name.trim()))
}

fn sentence(line: &str) -> Option<&str> {
    ["Given ", "When ", "Then ", "And ", "But ", "* "]
        .iter()
        .find_map(|word| line.strip_prefix(word))
        .map(str::trim)
}

/// The cells of a table's line. A backslash before a bar, before another backslash and before an `n` is
/// Gherkin's own; all others are left to whoever reads the value.
fn row(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let line = line.trim();
    let mut letters = line.strip_prefix('|').unwrap_or(line).chars().peekable();
    while let Some(letter) = letters.next() {
        let escaped = match (letter, letters.peek()) {
            ('\\', Some('|')) => Some('|'),
            ('\\', Some('\\')) => Some('\\'),
            ('\\', Some('n')) => Some('\n'),
            _ => None,
        };
        let last = cells.len() - 1;
        if let Some(meant) = escaped {
            letters.next();
            cells[last].push(meant);
        } else if letter == '|' {
            cells.push(String::new());
        } else {
            cells[last].push(letter);
        }
    }
    // What follows the last bar is no cell.
    cells.pop();
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

fn unindented(line: &str, indent: usize) -> &str {
    let spaces = line.len() - line.trim_start().len();
    line.get(indent.min(spaces)..).unwrap_or("")
}

fn expand(block: &Block, place: usize, background: &[Step], found: &mut Vec<Found>) -> Result<()> {
    let number = block
        .name
        .strip_prefix('[')
        .and_then(|name| name.split_once(']'))
        .map_or_else(|| place.to_string(), |(number, _)| number.to_owned());
    let all = || background.iter().chain(&block.steps).cloned();
    if !block.outline && block.examples.is_empty() {
        found.push(Found {
            number,
            line: block.line,
            example: None,
            steps: all().collect(),
            name: block.name.clone(),
        });
        return Ok(());
    }
    let mut example = 0;
    for table in &block.examples {
        let Some((header, rows)) = table.split_first() else {
            bail!("line {}: examples without a header", block.line);
        };
        for values in rows {
            if values.len() != header.len() {
                bail!("line {}: an example as long as {values:?}", block.line);
            }
            example += 1;
            let fill = |text: &str| filled(text, header, values);
            found.push(Found {
                number: number.clone(),
                name: fill(&block.name),
                line: block.line,
                example: Some(example),
                steps: all()
                    .map(|step| Step {
                        sentence: fill(&step.sentence),
                        table: step
                            .table
                            .iter()
                            .map(|row| row.iter().map(|cell| fill(cell)).collect())
                            .collect(),
                        text: step.text.as_deref().map(fill),
                    })
                    .collect(),
            });
        }
    }
    if example == 0 {
        bail!("line {}: an outline without examples", block.line);
    }
    Ok(())
}

/// Fills in all values at once, so that a value that looks like another's name stays as it is.
fn filled(text: &str, header: &[String], values: &[String]) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let known = header.iter().zip(values).find_map(|(name, value)| {
            let tail = rest[1..].strip_prefix(name.as_str())?.strip_prefix('>')?;
            Some((value, tail))
        });
        match known {
            Some((value, tail)) => {
                out.push_str(value);
                rest = tail;
            }
            None => {
                out.push('<');
                rest = &rest[1..];
            }
        }
    }
    out + rest
}
