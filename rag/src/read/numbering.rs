//! Numbered headings in plain text, Western and Chinese, and what rank each kind has.
//!
//! Ranks are relative: they only say which kind stands above which, in the order that laws, reports and
//! books keep. A line that could as well be an item of a list is called weak, and the reader decides by
//! its neighbours.

/// A line that looks like a heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Numbered {
    /// Its rank among all kinds; 1 is the highest.
    pub(super) rank: usize,
    /// Whether items of lists look the same.
    pub(super) weak: bool,
    /// How many bytes of the line are the heading; the rest is its text already.
    pub(super) length: usize,
}

/// The most characters of a heading in a line of its own.
const LONGEST: usize = 120;
/// The most characters of a heading that text follows on the same line.
const LONGEST_RUN_IN: usize = 40;

const RANK_PART: usize = 1;
const RANK_CHAPTER: usize = 2;
const RANK_SECTION: usize = 3;
const RANK_ARTICLE: usize = 4;
/// `I.` and `一、`.
const RANK_FIRST: usize = 5;
/// `A.` and `（一）`.
const RANK_SECOND: usize = 6;
/// `1.`; `1.1` is one lower, and so on.
const RANK_DECIMAL: usize = 7;
const DEEPEST_DECIMAL: usize = 8;
/// What stands between the numbers of a decimal, and behind them.
const STOPS: [char; 2] = ['.', '．'];
/// `(1)` and `（1）`.
const RANK_BRACKETS: usize = RANK_DECIMAL + DEEPEST_DECIMAL;

/// What the line is as a heading, if it looks like one. The line has no blanks around it.
pub(super) fn heading(line: &str) -> Option<Numbered> {
    if line.is_empty() || is_of_contents(line) {
        return None;
    }
    ordinal(line)
        .or_else(|| chinese(line))
        .or_else(|| keyword(line))
        .or_else(|| decimal(line))
        .or_else(|| letter(line))
}

/// A line of a table of contents: dots or a tab, and a page.
fn is_of_contents(line: &str) -> bool {
    let before = line.trim_end_matches(is_decimal_digit);
    if before.len() == line.len() {
        return false;
    }
    let before = before.trim_end_matches(' ');
    let bare = before.trim_end_matches(['.', '…', '·', '．', '\t', ' ', '_']);
    before.ends_with('\t')
        || before[bare.len()..]
            .chars()
            .filter(|dot| *dot != ' ')
            .count()
            >= 3
        || before.ends_with('…')
}

/// `第一章 总则`, `第3条 …`, and articles that were put in later: `第十条之一 …`.
fn ordinal(line: &str) -> Option<Numbered> {
    let rest = line.strip_prefix('第')?;
    let digits = rest.find(|digit: char| !is_digit(digit) && digit != ' ')?;
    if rest[..digits].trim().is_empty() {
        return None;
    }
    let unit = rest[digits..].chars().next()?;
    let rank = match unit {
        '编' | '篇' | '部' | '卷' | '編' => RANK_PART,
        '章' | '回' => RANK_CHAPTER,
        '节' | '節' => RANK_SECTION,
        '条' | '條' => RANK_ARTICLE,
        _ => return None,
    };
    let mut mark = '第'.len_utf8() + digits + unit.len_utf8();
    if rank == RANK_ARTICLE {
        mark += inserted(&line[mark..]);
    }
    let after = &line[mark..];
    // 第一章中…… goes on as a sentence; after the mark of a heading comes a blank, or nothing.
    let divided = after.is_empty() || after.starts_with([' ', '\u{3000}', '\t', '：', ':', '、']);
    if rank == RANK_ARTICLE {
        return divided.then_some(Numbered {
            rank,
            weak: false,
            length: mark,
        });
    }
    let short = line.chars().count() <= LONGEST_RUN_IN && !ends_sentence(line);
    (short && (divided || line.chars().count() <= 20)).then_some(Numbered {
        rank,
        weak: false,
        length: line.len(),
    })
}

/// How many bytes say which of the articles this is that were put in behind another: `之一`.
fn inserted(after: &str) -> usize {
    let Some(number) = after.strip_prefix('之') else {
        return 0;
    };
    let digits = number.len() - number.trim_start_matches(is_digit).len();
    match digits {
        0 => 0,
        digits => '之'.len_utf8() + digits,
    }
}

/// `一、总体要求`, `（一）指导思想。以……`.
fn chinese(line: &str) -> Option<Numbered> {
    let (rank, mark) = match line.chars().next()? {
        bracket @ ('（' | '(') => {
            let inner = &line[bracket.len_utf8()..];
            let digits = inner.find(['）', ')'])?;
            let all = inner[..digits].chars().all(is_chinese_digit);
            let closing = inner[digits..].chars().next()?;
            let mark = bracket.len_utf8() + digits + closing.len_utf8();
            (all && digits > 0).then_some((RANK_SECOND, mark))?
        }
        _ => {
            let digits = line.find(|digit: char| !is_chinese_digit(digit))?;
            let stop = line[digits..].chars().next()?;
            let is_mark = digits > 0 && matches!(stop, '、' | '．' | '.');
            is_mark.then_some((RANK_FIRST, digits + stop.len_utf8()))?
        }
    };
    titled(line, mark, rank)
}

/// `Chapter 3: Rocks`, `PART II`, `Article 5`, `Appendix B`.
fn keyword(line: &str) -> Option<Numbered> {
    let (word, rest) = line.split_once([' ', '\u{a0}'])?;
    let rank = match word.to_lowercase().as_str() {
        "part" | "book" | "volume" | "title" | "parte" | "titolo" | "libro" | "teil" => RANK_PART,
        "chapter" | "appendix" | "annex" | "capitolo" | "capo" | "allegato" | "kapitel"
        | "chapitre" => RANK_CHAPTER,
        "section" | "sezione" | "abschnitt" => RANK_SECTION,
        "article" | "art." | "articolo" | "artikel" | "§" => RANK_ARTICLE,
        _ => return None,
    };
    // It begins as a heading does: `part 3 of the rocks is` goes on as a sentence.
    let first = word.chars().next()?;
    let number = rest
        .split([' ', '.', ':', '-', '–', '—', ',', '\t'])
        .next()?;
    let letter = number.len() == 1 && number.bytes().all(|byte| byte.is_ascii_uppercase());
    let known = is_number(number) || is_roman(number) || letter;
    if first.is_lowercase() && word != "art." || !known || line.chars().count() > LONGEST {
        return None;
    }
    let after = rest[number.len()..].trim_start();
    let title = after.trim_start_matches(['.', ':', '-', '–', '—', ' ']);
    let goes_on = title.len() == after.len() && title.starts_with(char::is_lowercase);
    (!goes_on && !line.ends_with([',', ';'])).then_some(Numbered {
        rank,
        weak: false,
        length: line.len(),
    })
}

/// `1. Rocks`, `1.2 Basalt`, `1、岩石`, `(1) Lava`, `（1）熔岩`, and all of these with digits of full width: `１．２ 岩石`.
fn decimal(line: &str) -> Option<Numbered> {
    if let Some(bracket @ ('(' | '（')) = line.chars().next() {
        let inner = &line[bracket.len_utf8()..];
        let digits = inner.find([')', '）'])?;
        let closing = inner[digits..].chars().next()?;
        let mark = bracket.len_utf8() + digits + closing.len_utf8();
        return is_small(&inner[..digits]).then(|| titled(line, mark, RANK_BRACKETS))?;
    }
    let end = line.find(|sign: char| !is_decimal_digit(sign) && !STOPS.contains(&sign))?;
    let number = &line[..end];
    let parts: Vec<&str> = number.trim_end_matches(STOPS).split(STOPS).collect();
    if parts.len() > DEEPEST_DECIMAL || !parts.iter().all(|part| is_small(part)) {
        return None;
    }
    let mut mark = end;
    let rest = &line[end..];
    let stop = rest.chars().next()?;
    let has_mark = number.ends_with(STOPS) || matches!(stop, '、' | ')' | '）');
    if matches!(stop, '、' | ')' | '）') {
        mark += stop.len_utf8();
    }
    let rest = &line[mark..];
    let title = rest.trim_start();
    let first = title.chars().next()?;
    // `1.5 metres` and `3 apples` are no headings; `1 Rocks` is one.
    let apart = rest.len() > title.len() || !first.is_ascii();
    if !apart || first.is_lowercase() || !(has_mark || parts.len() > 1 || first.is_alphabetic()) {
        return None;
    }
    let mut numbered = titled(line, mark, RANK_DECIMAL + parts.len() - 1)?;
    numbered.weak = parts.len() == 1;
    Some(numbered)
}

/// `I. Rocks`, `A. Basalt`.
fn letter(line: &str) -> Option<Numbered> {
    let (mark, title) = line.split_once(". ")?;
    let rank = match mark {
        _ if is_roman(mark) => RANK_FIRST,
        _ if mark.len() == 1 && mark.bytes().all(|byte| byte.is_ascii_uppercase()) => RANK_SECOND,
        _ => return None,
    };
    // `J. Smith wrote` is a name: what follows a letter is a title only if it stands alone, which `titled`
    // sees by its length and end.
    let first = title.trim_start().chars().next()?;
    (!first.is_lowercase()).then(|| titled(line, mark.len() + 1, rank))?
}

/// A heading with a title after its mark, alone on its line or up to the first `。` of it.
fn titled(line: &str, mark: usize, rank: usize) -> Option<Numbered> {
    let title = line[mark..].trim();
    let first = title.chars().next()?;
    if !first.is_alphanumeric() && !matches!(first, '"' | '“' | '「' | '《' | '\'' | '*') {
        return None;
    }
    let alone = line.chars().count() <= LONGEST && !ends_sentence(line) && !line.contains('。');
    let run_in = line.find('。').map(|at| at + '。'.len_utf8());
    let run_in = run_in.filter(|end| line[..*end].chars().count() <= LONGEST_RUN_IN);
    let length = if alone { line.len() } else { run_in? };
    Some(Numbered {
        rank,
        weak: true,
        length,
    })
}

fn ends_sentence(line: &str) -> bool {
    line.ends_with(['.', ',', ';', ':', '!', '。', '，', '；', '：', '！', '、'])
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_decimal_digit)
}

/// Whether it may be the number of a section: a year or an amount is none.
fn is_small(text: &str) -> bool {
    is_number(text) && text.chars().count() <= 3
}

fn is_roman(text: &str) -> bool {
    let letters = text.bytes().all(|byte| b"IVXLC".contains(&byte));
    letters && !text.is_empty() && text.len() <= 8
}

fn is_chinese_digit(digit: char) -> bool {
    "零〇一二三四五六七八九十百千两".contains(digit)
}

fn is_decimal_digit(digit: char) -> bool {
    digit.is_ascii_digit() || ('０'..='９').contains(&digit)
}

fn is_digit(digit: char) -> bool {
    is_decimal_digit(digit) || is_chinese_digit(digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_and_their_ranks() {
        for (line, rank) in [
            ("第一编 总则", 1),
            ("第十二章　附则", 2),
            ("第3节 范围", 3),
            ("Part II", 1),
            ("PART ONE", 0),
            ("CHAPTER 1. Loomings.", 2),
            ("Chapter 12: Of rocks", 2),
            ("Appendix B", 2),
            ("Articolo 5", 4),
            ("§ 12 Anwendung", 4),
            ("一、总体要求", 5),
            ("IV. Results", 5),
            ("（二）基本原则", 6),
            ("A. Basalt", 6),
            ("1. Rocks", 7),
            ("1 Rocks", 7),
            ("3、岩石", 7),
            ("1.2 Basalt", 8),
            ("1.2.3. Lava", 9),
            ("(1) Lava", 15),
            ("（1）熔岩", 15),
            ("１、岩石", 7),
            ("１．岩石", 7),
            ("１．１　玄武岩", 8),
            ("1．1 玄武岩", 8),
            ("（１２）熔岩", 15),
            ("第１条之１ 审计", 4),
        ] {
            assert_eq!(heading(line).map_or(0, |found| found.rank), rank, "{line}");
        }
    }

    #[test]
    fn what_is_no_heading() {
        for line in [
            "1. Do this, and then that.",
            "2023 was a good year",
            "1.5 metres of rain",
            "3 apples",
            "part 3 of the rocks is missing",
            "Part of the rocks",
            "Section 3 is about rocks, which",
            "第一章 总则 ........ 12",
            "1.1 Rocks\t5",
            "第一次世界大战",
            "第三条之规定",
            "第三条之一般规定",
            "２０２３、去年",
            "１．１　玄武岩 ........ １２",
            "J. Smith wrote this in a letter that was found later, and it says what he thought of the rocks in the valley and of us.",
            "I am here",
            "（见附件）",
            "12",
            "-",
        ] {
            assert_eq!(heading(line), None, "{line}");
        }
    }

    #[test]
    fn text_that_follows_on_the_same_line_is_not_of_the_heading() {
        let law = "第一条　为了规范审计，制定本法。";
        assert_eq!(&law[..heading(law).unwrap().length], "第一条");
        let inserted = "第一百二十条之一　为了防范风险，制定本条。";
        let length = heading(inserted).unwrap().length;
        assert_eq!(&inserted[..length], "第一百二十条之一");
        let plan = "（一）指导思想。以科学发展为指导，坚持改革，推进各项工作。";
        assert_eq!(&plan[..heading(plan).unwrap().length], "（一）指导思想。");
    }

    #[test]
    fn no_line_makes_it_panic() {
        let signs = [
            "第", "一", "、", "（", "）", "1", ".", " ", "。", "A", "I", "ä", "§", "Part", "章",
            "条", "之", "１", "．",
        ];
        let mut random = 7_u64;
        for _ in 0..20_000 {
            let mut line = String::new();
            for _ in 0..random % 9 {
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                line.push_str(signs[(random >> 33) as usize % signs.len()]);
            }
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            if let Some(found) = heading(line.trim()) {
                assert!(line.trim().is_char_boundary(found.length));
            }
        }
    }
}
