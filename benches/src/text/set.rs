//! Texts and questions of the evaluation sets, and how well an answer does.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// Longer texts are cut into passages of so many words.
const PASSAGE_WORDS: usize = 120;
/// The sets whose texts are English.
const ENGLISH: [&str; 7] = [
    "scifact",
    "2wiki",
    "musique-train100",
    "hotpot-train100",
    "multihoprag-small",
    "ultradomain-cs",
    "ultradomain-mix",
];

/// What is indexed and asked. A text is named by its place.
pub(super) struct TextSet {
    pub(super) texts: Vec<String>,
    pub(super) questions: Vec<String>,
    /// For each question the right texts with their grades; empty if nobody judged them.
    gold: Vec<HashMap<u64, f64>>,
}

impl TextSet {
    pub(super) fn scifact(folder: &Path) -> Result<Self> {
        let mut set = Self {
            texts: Vec::new(),
            questions: Vec::new(),
            gold: Vec::new(),
        };
        let mut places = HashMap::new();
        for line in lines(&folder.join("scifact/corpus.jsonl.gz"))? {
            places.insert(line["id"].to_string(), set.texts.len() as u64);
            set.texts
                .push(format!("{}\n{}", text(&line, "title"), text(&line, "text")));
        }
        for line in lines(&folder.join("scifact/questions.jsonl.gz"))? {
            set.questions.push(text(&line, "question").to_owned());
            let gold = line["gold"]
                .as_object()
                .context("a question without gold")?;
            let graded = gold
                .iter()
                .filter_map(|(id, grade)| Some((*places.get(id)?, grade.as_f64()?)));
            set.gold.push(graded.collect());
        }
        Ok(set)
    }

    /// At most `count` passages of all English texts.
    pub(super) fn passages(folder: &Path, count: usize) -> Result<Self> {
        let mut set = Self {
            texts: Vec::new(),
            questions: Vec::new(),
            gold: Vec::new(),
        };
        for name in ENGLISH {
            for line in lines(&folder.join(name).join("corpus.jsonl.gz"))? {
                let words: Vec<&str> = text(&line, "title")
                    .split_whitespace()
                    .chain(text(&line, "text").split_whitespace())
                    .collect();
                set.texts
                    .extend(words.chunks(PASSAGE_WORDS).map(|words| words.join(" ")));
            }
            let questions = folder.join(name).join("questions.jsonl.gz");
            if questions.is_file() {
                let questions = lines(&questions)?;
                set.questions.extend(
                    questions
                        .iter()
                        .map(|line| text(line, "question").to_owned())
                        .filter(|text| !text.is_empty())
                        .take(200),
                );
            }
        }
        set.texts.truncate(count);
        Ok(set)
    }

    /// Writes what the peer reads.
    pub(super) fn write(&self, dir: &Path) -> Result<()> {
        for (name, lines) in [
            ("texts.jsonl", &self.texts),
            ("questions.jsonl", &self.questions),
        ] {
            let mut file = std::io::BufWriter::new(std::fs::File::create(dir.join(name))?);
            for line in lines {
                writeln!(file, "{}", Value::from(line.as_str()))?;
            }
            file.flush()?;
        }
        Ok(())
    }

    /// How far up the right texts are, averaged over all questions; nothing if nobody judged them.
    pub(super) fn ndcg(&self, found: &[Vec<u64>]) -> Option<f64> {
        if self.gold.is_empty() {
            return None;
        }
        let scores = self.gold.iter().zip(found).map(|(gold, found)| {
            let mut best: Vec<f64> = gold.values().copied().collect();
            best.sort_by(|one, other| other.total_cmp(one));
            let gained = found
                .iter()
                .map(|text| gold.get(text).copied().unwrap_or_default());
            discounted(gained)
                / discounted(best.into_iter().take(found.len().max(1))).max(f64::MIN_POSITIVE)
        });
        Some(scores.sum::<f64>() / self.gold.len() as f64)
    }
}

fn discounted(gains: impl Iterator<Item = f64>) -> f64 {
    gains
        .zip(2_u32..)
        .map(|(gain, rank)| gain / f64::from(rank).log2())
        .sum()
}

/// Which share of what one side has found the other has found too.
pub(super) fn overlap(ours: &[Vec<u64>], theirs: &[Vec<u64>]) -> f64 {
    let both = ours
        .iter()
        .zip(theirs)
        .map(|(ours, theirs)| ours.iter().filter(|text| theirs.contains(text)).count());
    let all: usize = theirs.iter().map(Vec::len).sum();
    both.sum::<usize>() as f64 / all.max(1) as f64
}

fn text<'a>(line: &'a Value, name: &str) -> &'a str {
    line[name].as_str().unwrap_or_default()
}

fn lines(path: &Path) -> Result<Vec<Value>> {
    let mut unpack = Command::new("gzip")
        .arg("-dc")
        .arg(path)
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run gzip")?;
    let reader = BufReader::new(unpack.stdout.take().context("no standard output")?);
    let lines: Result<Vec<Value>> = reader
        .lines()
        .map(|line| Ok(serde_json::from_str(&line?)?))
        .collect();
    ensure!(unpack.wait()?.success(), "cannot unpack {}", path.display());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_judged_by_how_far_up_the_right_texts_are() {
        let gold = vec![HashMap::from([(1, 1.0), (2, 1.0)])];
        let set = TextSet {
            texts: Vec::new(),
            questions: Vec::new(),
            gold,
        };
        let ndcg = |found: &[u64]| set.ndcg(&[found.to_vec()]).unwrap();
        assert!((ndcg(&[1, 2, 3]) - 1.0).abs() < 1e-9);
        assert!(ndcg(&[3, 1, 2]) < ndcg(&[1, 3, 2]) && ndcg(&[3, 4, 5]) < 1e-9);
        assert!((overlap(&[vec![1, 2]], &[vec![2, 3]]) - 0.5).abs() < 1e-9);
    }
}
