//! Expectations, written anew in place.
//!
//! Only what was wrong is replaced: what passes keeps the layout that somebody gave it. It must never touch
//! a query.
//!
//! Next: `../bin/scripts.rs`.

use super::attempt::{Came, text};
use super::{Form, table};
use crate::effects::COUNTED;

/// The text of a file with what came in the place of what was stated.
pub fn rewrite(file: &str, came: &[Box<Came>]) -> String {
    let mut lines: Vec<String> = file.lines().map(str::to_owned).collect();
    let mut came: Vec<&Came> = came.iter().map(AsRef::as_ref).collect();
    // From the end, so that the places further up stay true.
    came.sort_by_key(|one| std::cmp::Reverse(one.stated.start));
    for one in came {
        let mut stated = match one.form {
            Form::Sections => sections(one),
            Form::Document => document(one),
        };
        if one.stated.is_empty() && one.form == Form::Document {
            stated.insert(0, String::new());
        }
        let end = one.stated.end.min(lines.len());
        lines.splice(one.stated.start.min(end)..end, stated);
    }
    lines.join("\n") + "\n"
}

fn sections(came: &Came) -> Vec<String> {
    let mut lines = Vec::new();
    let mut section = |title: &str, body: Vec<String>| {
        lines.push(title.to_owned());
        lines.extend(
            body.iter()
                .map(|line| format!("    {line}").trim_end().to_owned()),
        );
    };
    match &came.result {
        Ok(answer) if answer.columns.is_empty() => section("no rows", Vec::new()),
        Ok(answer) if came.ordered => section("rows in order", table::write(answer, false)),
        Ok(answer) => section("rows", table::write(answer, false)),
        Err(refusal) => section("error", text(refusal).lines().map(str::to_owned).collect()),
    }
    let mut effects = Vec::new();
    for word in COUNTED {
        for sign in ['+', '-'] {
            let word = format!("{sign}{word}");
            let count = came.effects.as_ref().and_then(|effects| effects.get(&word));
            effects.extend(count.map(|count| format!("{word} {count}")));
        }
    }
    if !effects.is_empty() {
        section("effects", effects);
    }
    if let Some(counters) = &came.counters {
        section("counters", vec![counters.clone()]);
    }
    lines
}

fn document(came: &Came) -> Vec<String> {
    match &came.result {
        Ok(answer) => table::write(answer, true),
        Err(refusal) => {
            let mut lines = vec!["```error".to_owned()];
            lines.extend(text(refusal).lines().map(str::to_owned));
            lines.push("```".to_owned());
            lines
        }
    }
}

#[cfg(test)]
mod tests;
