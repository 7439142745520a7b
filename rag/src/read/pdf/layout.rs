//! From runs to lines and paragraphs, in the order in which they are drawn.
//!
//! That order is the one in which most programs write, also in columns; sorting by place would mix these.

use super::page::Run;

/// A paragraph of a page.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Paragraph {
    pub(super) text: String,
    pub(super) size: f64,
    /// Whether all of it is bold.
    pub(super) bold: bool,
    pub(super) lines: usize,
}

/// A line of a page.
#[derive(Debug)]
struct Line {
    text: String,
    start: f64,
    end: f64,
    line: f64,
    degrees: i32,
    /// Of most of its letters.
    size: f64,
    letters: usize,
    bold: bool,
}

/// The paragraphs of a page.
pub(super) fn paragraphs(runs: Vec<Run>) -> Vec<Paragraph> {
    let lines = lines(runs);
    let usual = usual_distance(&lines);
    let mut paragraphs: Vec<Paragraph> = Vec::new();
    let mut last: Option<&Line> = None;
    for line in &lines {
        let joins = last.is_some_and(|last| last.is_followed_by(line, usual));
        last = Some(line);
        match paragraphs.last_mut() {
            Some(paragraph) if joins => {
                join(&mut paragraph.text, &line.text);
                paragraph.bold &= line.bold;
                paragraph.lines += 1;
            }
            _ => paragraphs.push(Paragraph {
                text: line.text.clone(),
                size: line.size,
                bold: line.bold,
                lines: 1,
            }),
        }
    }
    paragraphs
}

/// The next line of a paragraph; a word that was divided at its end is whole again.
fn join(text: &mut String, next: &str) {
    let lower = next.chars().next().is_some_and(char::is_lowercase);
    if let Some(before) = text.strip_suffix(['-', '\u{ad}', '\u{2010}'])
        && lower
        && before.ends_with(char::is_alphabetic)
    {
        text.truncate(before.len());
    } else {
        text.push('\n');
    }
    text.push_str(next);
}

fn lines(runs: Vec<Run>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for run in runs {
        let letters = run.text.chars().count();
        match lines.last_mut() {
            Some(line) if line.goes_on_with(&run) => {
                let gap = run.start - line.end;
                let blank = line.text.ends_with(char::is_whitespace)
                    || run.text.starts_with(char::is_whitespace);
                if (gap > 0.18 * run.size || gap < -run.size) && !blank {
                    line.text.push(' ');
                }
                line.text.push_str(&run.text);
                line.end = run.end;
                if letters > line.letters {
                    line.size = run.size;
                    line.letters = letters;
                }
                line.bold &= run.bold || run.text.trim().is_empty();
            }
            _ => lines.push(Line {
                text: run.text,
                start: run.start,
                end: run.end,
                line: run.line,
                degrees: run.degrees,
                size: run.size,
                letters,
                bold: run.bold,
            }),
        }
    }
    for line in &mut lines {
        line.text = one_blank(&line.text);
    }
    lines.retain(|line| !line.text.is_empty());
    lines
}

/// The text with single blanks between its words.
fn one_blank(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

impl Line {
    /// Whether a run is on the same line; what is small and a little higher is so as well.
    fn goes_on_with(&self, run: &Run) -> bool {
        let larger = self.size.max(run.size);
        self.degrees == run.degrees && (self.line - run.line).abs() < 0.5 * larger
    }

    /// Whether the next line is of the same paragraph.
    fn is_followed_by(&self, next: &Self, usual: f64) -> bool {
        let distance = self.line - next.line;
        let same_size = (self.size - next.size).abs() < 0.06 * self.size.max(next.size);
        let near = distance > 0.0 && distance < (1.3 * usual).max(1.25 * self.size);
        // The first line of a paragraph may be the one that stands further in.
        let indented = next.start > self.start + 0.8 * next.size && next.start < self.end;
        self.degrees == next.degrees && same_size && near && !indented && self.bold == next.bold
    }
}

/// The distance that most lines of the page have to the next one.
fn usual_distance(lines: &[Line]) -> f64 {
    let mut distances: Vec<f64> = lines
        .windows(2)
        .filter(|pair| (pair[0].size - pair[1].size).abs() < 0.06 * pair[0].size)
        .map(|pair| (pair[0].line - pair[1].line, pair[0].size))
        .filter(|(distance, size)| *distance > 0.0 && *distance < 3.0 * size)
        .map(|(distance, _)| distance)
        .collect();
    distances.sort_by(f64::total_cmp);
    // The lower quartile: on a page of short paragraphs most distances are between them.
    distances.get(distances.len() / 4).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(start: f64, line: f64, text: &str) -> Run {
        Run {
            start,
            end: start + 5.0 * text.chars().count() as f64,
            line,
            degrees: 0,
            size: 10.0,
            bold: false,
            text: text.to_owned(),
        }
    }

    fn texts(runs: &[Run]) -> Vec<String> {
        let all = paragraphs(runs.to_vec());
        all.into_iter().map(|paragraph| paragraph.text).collect()
    }

    #[test]
    fn runs_become_words_lines_and_paragraphs() {
        let runs = [
            run(0.0, 100.0, "Ba"),
            run(10.0, 100.0, "salt"),
            run(35.0, 100.0, "is"),
            run(46.0, 103.0, "2"),
            run(0.0, 88.0, "a vol-"),
            run(0.0, 76.0, "canic rock."),
            run(0.0, 50.0, "Another."),
            run(12.0, 38.0, "Indented."),
        ];
        let mut wide = run(200.0, 200.0, "Right");
        wide.degrees = 90;
        assert_eq!(
            texts(&runs),
            ["Basalt is2\na volcanic rock.", "Another.", "Indented."]
        );
        assert_eq!(texts(&[run(0.0, 100.0, "Left"), wide]), ["Left", "Right"]);
        // A second column begins at the top again.
        let columns = [
            run(0.0, 100.0, "a"),
            run(0.0, 88.0, "b"),
            run(99.0, 100.0, "c"),
        ];
        assert_eq!(texts(&columns), ["a\nb", "c"]);
    }
}
