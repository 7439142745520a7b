//! Plain text: numbered and underlined headings make the tree, blank lines the paragraphs.
//!
//! What looks like a heading is one unless its neighbours speak against it: lines of a list, or a table of
//! contents, follow each other with nothing between them.

use std::collections::HashSet;
use std::ops::Range;

use super::numbering;
use crate::{BlockKind, Document, Metadata, Outline};

/// Reads a document of plain text.
pub(super) fn read(id: &str, text: &str) -> Document {
    let lines = lines(text);
    let candidates = candidates(text, &lines);
    let headings = headings(text, &lines, candidates);
    let mut outline = Outline::new(text.to_owned(), 0);
    let mut headings = headings.into_iter().peekable();
    let mut paragraph: Option<Range<usize>> = None;
    let mut at = 0;
    while at < lines.len() {
        let mut line = lines[at].clone();
        at += 1;
        if let Some(heading) = headings.next_if(|heading| heading.line + 1 == at) {
            if let Some(span) = paragraph.take() {
                outline.block(BlockKind::Paragraph, span);
            }
            let end = line.start + heading.length;
            let title = text[line.start..end].trim_end_matches('。');
            if heading.underlined {
                outline.heading(heading.rank, title, line.start..lines[at].end);
                at += 1;
                continue;
            }
            outline.heading(heading.rank, title, line.start..end);
            let rest = &text[end..line.end];
            line.start = end + rest.len() - rest.trim_start().len();
        }
        let words = &text[line.clone()];
        if words.is_empty() {
            if let Some(span) = paragraph.take() {
                outline.block(BlockKind::Paragraph, span);
            }
            continue;
        }
        let start = paragraph.map_or(line.start, |before| before.start);
        paragraph = Some(start..line.end);
        // Chinese text seldom has blank lines: a line that ends with a full stop ends a paragraph.
        if words.ends_with(['。', '！', '？', '；']) {
            outline.block(BlockKind::Paragraph, start..line.end);
            paragraph = None;
        }
    }
    if let Some(span) = paragraph {
        outline.block(BlockKind::Paragraph, span);
    }
    outline.finish(id, None, Metadata::new())
}

/// The lines without the blanks around them.
fn lines(text: &str) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at + line.len() - line.trim_start().len();
        let end = at + line.trim_end().len();
        lines.push(start.min(end)..end);
        at += line.len();
    }
    lines
}

/// A line that looks like a heading.
struct Candidate {
    line: usize,
    rank: usize,
    weak: bool,
    underlined: bool,
    length: usize,
}

fn candidates(text: &str, lines: &[Range<usize>]) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        let words = &text[line.clone()];
        let below = lines.get(place + 1).map(|line| &text[line.clone()]);
        if let Some(rank) = below.and_then(|below| underline(words, below)) {
            candidates.push(Candidate {
                line: place,
                rank,
                weak: false,
                underlined: true,
                length: words.len(),
            });
        } else if let Some(found) = numbering::heading(words) {
            candidates.push(Candidate {
                line: place,
                rank: found.rank,
                weak: found.weak,
                underlined: false,
                length: found.length,
            });
        }
    }
    candidates
}

/// The rank of a line with such a line under it.
fn underline(words: &str, below: &str) -> Option<usize> {
    let sign = below.chars().next()?;
    let rank = match sign {
        '=' => 1,
        '-' => 2,
        '~' => 3,
        _ => return None,
    };
    let ruler = below.chars().all(|other| other == sign);
    let fits = below.len() >= 3 && below.len() * 2 >= words.chars().count();
    let title = words.chars().any(char::is_alphanumeric) && words.chars().count() <= 120;
    (ruler && fits && title).then_some(rank)
}

/// Those candidates that are headings.
fn headings(text: &str, lines: &[Range<usize>], candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut headings = Vec::new();
    // The words of what comes later: an entry of a table of contents comes again as the heading itself.
    let mut later: HashSet<&str> = HashSet::new();
    let mut runs = runs(text, lines, &candidates);
    while let Some(run) = runs.pop() {
        let members = &candidates[run.clone()];
        let words = |candidate: &Candidate| &text[lines[candidate.line].clone()];
        let weak = members[0].weak;
        let dropped = match run.len() {
            length if weak && length >= 2 => length,
            length if length >= 3 => {
                let again = later.contains(words(&members[length - 1]));
                length - usize::from(!again)
            }
            _ => 0,
        };
        headings.extend(run.clone().skip(dropped).rev());
        later.extend(members.iter().map(words));
    }
    headings.reverse();
    let kept: HashSet<usize> = headings.into_iter().collect();
    let all = candidates.into_iter().enumerate();
    all.filter_map(|(place, candidate)| kept.contains(&place).then_some(candidate))
        .collect()
}

/// The candidates in runs: of one rank, with nothing but blank lines between them.
fn runs(text: &str, lines: &[Range<usize>], candidates: &[Candidate]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (place, candidate) in candidates.iter().enumerate() {
        let joins = place.checked_sub(1).is_some_and(|before| {
            let before = &candidates[before];
            let whole = before.length == lines[before.line].len();
            let between = &lines[before.line + 1..candidate.line];
            let empty = between.iter().all(|line| text[line.clone()].is_empty());
            before.rank == candidate.rank && whole && empty && !before.underlined
        });
        match runs.last_mut() {
            Some(run) if joins => run.end = place + 1,
            _ => runs.push(place..place + 1),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(text: &str) -> Vec<String> {
        let document = read("x", text);
        let sections = document.sections().iter().skip(1);
        sections
            .map(|section| {
                let body = document.text_of(section.body.clone()).trim();
                format!("{} {} | {body}", section.depth, section.title)
            })
            .collect()
    }

    #[test]
    fn a_law_in_chapters_and_articles() {
        let text = "审计法\n第一章 总则\n第一条 为了审计，制定本法。\n第二条 国家实行审计制度。\n第二章 附则\n第三条　本法自公布之日起施行。\n";
        assert_eq!(
            outline(text),
            [
                "1 第一章 总则 | ",
                "2 第一条 | 为了审计，制定本法。",
                "2 第二条 | 国家实行审计制度。",
                "1 第二章 附则 | ",
                "2 第三条 | 本法自公布之日起施行。",
            ]
        );
    }

    #[test]
    fn articles_that_were_put_in_later_and_numbers_of_full_width() {
        let text = "第一百二十条 一般条款。\n第一百二十条之一 帮助行为。\n第一百二十一条 其他。\n";
        assert_eq!(
            outline(text),
            [
                "1 第一百二十条 | 一般条款。",
                "1 第一百二十条之一 | 帮助行为。",
                "1 第一百二十一条 | 其他。",
            ]
        );
        let text = "１、岩石\n古老。\n１．１　玄武岩\n熔岩。\n２、河流\n流动。\n";
        assert_eq!(
            outline(text),
            [
                "1 １、岩石 | 古老。",
                "2 １．１ 玄武岩 | 熔岩。",
                "1 ２、河流 | 流动。",
            ]
        );
    }

    #[test]
    fn a_plan_with_titles_that_text_follows() {
        let text = "一、总体要求\n（一）指导思想。坚持改革。\n（二）基本原则。统筹兼顾。\n二、主要任务\n1.加强管理\n具体内容。\n";
        assert_eq!(
            outline(text),
            [
                "1 一、总体要求 | ",
                "2 （一）指导思想 | 坚持改革。",
                "2 （二）基本原则 | 统筹兼顾。",
                "1 二、主要任务 | ",
                "2 1.加强管理 | 具体内容。",
            ]
        );
    }

    #[test]
    fn a_report_with_decimal_numbers() {
        let text = "A report\n\n1. Rocks\n\nThey are old.\n\n1.1 Basalt\n\nIt was lava.\n\n1.2 Slate\n\nIt splits.\n\n2. Rivers\n\nThey run.\n";
        assert_eq!(
            outline(text),
            [
                "1 1. Rocks | They are old.",
                "2 1.1 Basalt | It was lava.",
                "2 1.2 Slate | It splits.",
                "1 2. Rivers | They run.",
            ]
        );
    }

    #[test]
    fn lists_are_no_headings() {
        assert!(outline("Take:\n1. Salt\n2. Water\n3. Bread\nand eat.\n").is_empty());
        assert!(outline("Take:\n\n1. Salt\n\n2. Water\n\nand eat.\n").is_empty());
    }

    #[test]
    fn a_table_of_contents_is_none_of_its_headings() {
        let text = "CONTENTS\n\nCHAPTER 1. Loomings.\n\nCHAPTER 2. The Bag.\n\nCHAPTER 3. The Inn.\n\n\
                    CHAPTER 1. Loomings.\n\nCall me.\n\nCHAPTER 2. The Bag.\n\nI went.\n\nCHAPTER 3. The Inn.\n\nThere.\n";
        assert_eq!(
            outline(text),
            [
                "1 CHAPTER 1. Loomings. | Call me.",
                "1 CHAPTER 2. The Bag. | I went.",
                "1 CHAPTER 3. The Inn. | There.",
            ]
        );
    }

    #[test]
    fn underlined_lines_are_headings() {
        let text = "Rocks\n=====\n\nOld.\n\nBasalt\n------\n\nLava.\n";
        assert_eq!(outline(text), ["1 Rocks | Old.", "2 Basalt | Lava."]);
    }

    #[test]
    fn paragraphs_end_at_blank_lines_and_at_chinese_full_stops() {
        let document = read("x", "one\ntwo\n\nthree\n一。\n二。");
        let blocks = document.blocks().iter();
        let texts: Vec<_> = blocks
            .map(|block| document.text_of(block.span.clone()))
            .collect();
        assert_eq!(texts, ["one\ntwo", "three\n一。", "二。"]);
    }

    #[test]
    fn an_underline_at_the_end_and_wild_line_breaks_do_no_harm() {
        for text in [
            "a\n---",
            "---",
            "\r\n\r\n",
            "一、",
            "第",
            "a\n===\n===\n",
            "\u{3000}\n\u{3000}x",
        ] {
            read("x", text);
        }
    }
}
