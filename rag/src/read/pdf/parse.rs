//! From the bytes of a PDF to what a document is made of.

use std::collections::HashMap;
use std::thread;

use lopdf::{Dictionary, Document, LoadOptions, Object, ObjectId, decode_text_string};

use super::layout::{Paragraph, paragraphs};
use super::page::Pages;
use super::{Parsed, Refused, bookmarks, headings, running};

/// The most pages.
const MOST_PAGES: usize = 100_000;
/// The most bytes of text.
const MOST_TEXT: usize = 128 << 20;
/// What one stream of objects may unpack to.
const MOST_UNPACKED: usize = 64 << 20;
/// What the parser may use of a stack: objects lie within each other as deep as it allows.
const STACK: usize = 64 << 20;

/// Parses it in a thread of its own, whose stack is deep enough, and which may panic. Calls `at` with the number
/// of each page before it is read.
pub(super) fn apart(bytes: &[u8], at: fn(usize)) -> Result<Parsed, Refused> {
    thread::scope(|scope| {
        let parsing = thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, || parse(bytes, at));
        match parsing.map(thread::ScopedJoinHandle::join) {
            Ok(Ok(parsed)) => parsed,
            Ok(Err(_)) => Err(Refused::broken("the parser gave it up (it panicked)")),
            Err(error) => Err(Refused::new(
                format!("there is no memory for the parser's stack: {error}"),
                "raise the limit, or try again when the machine has room",
            )),
        }
    })
}

fn parse(bytes: &[u8], at: fn(usize)) -> Result<Parsed, Refused> {
    let document = load(bytes)?;
    let ids = pages(&document)?;
    let mut reader = Pages::new(&document);
    let mut read: Vec<(usize, Vec<Paragraph>)> = Vec::with_capacity(ids.len());
    let mut without_text = Vec::new();
    let (mut letters, mut unknown, mut text) = (0, 0, 0);
    let mut first_unknown = None;
    for (number, id) in (1..).zip(&ids) {
        at(number);
        let shown = reader.read(*id).map_err(|refused| refused.on(number))?;
        letters += shown.letters;
        unknown += shown.unknown;
        if 2 * shown.unknown > shown.letters {
            first_unknown.get_or_insert(number);
        }
        let found = paragraphs(shown.runs);
        text += found.iter().map(|one| one.text.len()).sum::<usize>();
        if text > MOST_TEXT {
            return Err(Refused::too_much("its text").on(number));
        }
        if shown.pictures && found.is_empty() {
            without_text.push(number);
        }
        read.push((number, found));
    }
    if text == 0 {
        let reason = match without_text.is_empty() {
            true => "there is no text in it",
            false => "it has pictures of pages, and no text layer",
        };
        let hint = "let a program for OCR add one first, for example `ocrmypdf in.pdf out.pdf`";
        let page = without_text.first().copied().unwrap_or(1);
        return Err(Refused::new(reason.to_owned(), hint).on(page));
    }
    if let Some(page) = first_unknown.filter(|_| 2 * unknown > letters) {
        let reason = "its fonts do not say which letters they show".to_owned();
        let hint =
            "let a program for OCR read it, for example `ocrmypdf --force-ocr in.pdf out.pdf`";
        return Err(Refused::new(reason, hint).on(page));
    }
    running::leave_out(&mut read);
    let places: HashMap<ObjectId, usize> = ids.iter().copied().zip(0..).collect();
    let entries = bookmarks::read(&document).into_iter().map(|entry| {
        let page = entry.page.and_then(|page| places.get(&page).copied());
        (entry, page)
    });
    let entries: Vec<_> = entries.collect();
    let ranks = headings::ranks(&read, &entries);
    let title = headings::title(&read);
    let mut parsed = written(&read, &ranks);
    parsed.without_text = without_text;
    about(&document, &mut parsed);
    if parsed.title.is_empty() {
        parsed.title = title.unwrap_or_default();
    }
    Ok(parsed)
}

fn load(bytes: &[u8]) -> Result<Document, Refused> {
    /// The mark of a PDF stands at its beginning, or after what some mail program wrote.
    const MARK_WITHIN: usize = 1024;
    let beginning = &bytes[..bytes.len().min(MARK_WITHIN)];
    if !beginning.windows(5).any(|five| five == b"%PDF-") {
        let reason = "this is no PDF: it does not begin with `%PDF-`".to_owned();
        return Err(Refused::new(reason, "look at what the file is"));
    }
    let encrypted = || {
        let hint = "take the encryption off first, for example with `qpdf --decrypt --password=.. in.pdf out.pdf`";
        Refused::new("it is encrypted, and needs a password".to_owned(), hint)
    };
    let options = LoadOptions::with_max_decompressed_size(MOST_UNPACKED);
    let document =
        Document::load_mem_with_options(bytes, options).map_err(|error| match error {
            lopdf::Error::InvalidPassword
            | lopdf::Error::Decryption(_)
            | lopdf::Error::UnsupportedSecurityHandler(_) => encrypted(),
            lopdf::Error::Decompress(lopdf::DecompressError::MemoryLimitExceeded { .. }) => {
                Refused::too_much("what it unpacks to")
            }
            other => Refused::broken(&format!("it cannot be parsed: {other}")),
        })?;
    if document.is_encrypted() {
        return Err(encrypted());
    }
    Ok(document)
}

/// The pages in their order.
fn pages(document: &Document) -> Result<Vec<ObjectId>, Refused> {
    let mut pages = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for id in document.page_iter() {
        if pages.len() >= MOST_PAGES {
            return Err(Refused::too_much("the number of pages"));
        }
        pages.push(id);
        if !seen.insert(id) {
            let why = "the tree of its pages leads back into itself";
            return Err(Refused::broken(why).on(pages.len()));
        }
    }
    if pages.is_empty() {
        return Err(Refused::broken("it has no pages"));
    }
    Ok(pages)
}

/// One text of all paragraphs, and where everything stands in it.
fn written(read: &[(usize, Vec<Paragraph>)], ranks: &HashMap<(usize, usize), usize>) -> Parsed {
    let mut parsed = Parsed::default();
    for (page, (_, paragraphs)) in read.iter().enumerate() {
        if paragraphs.is_empty() {
            parsed.pages.push(parsed.text.len());
        }
        for (place, paragraph) in paragraphs.iter().enumerate() {
            if !parsed.text.is_empty() {
                parsed.text.push_str("\n\n");
            }
            let start = parsed.text.len();
            parsed.text.push_str(&paragraph.text);
            if place == 0 {
                parsed.pages.push(start);
            }
            let end = parsed.text.len();
            parsed.paragraphs.push((start, end));
            if let Some(rank) = ranks.get(&(page, place)) {
                let title = paragraph.text.clone();
                parsed.headings.push((*rank, title, start, end));
            }
        }
    }
    parsed
}

/// What it says of itself.
fn about(document: &Document, parsed: &mut Parsed) {
    /// A value that people wrote is shorter.
    const LONGEST: usize = 2000;
    let info = document.trailer.get_deref(b"Info", document);
    let info = info.and_then(Object::as_dict).ok();
    let said = |of: Option<&Dictionary>, key: &[u8]| {
        let value = of?.get_deref(key, document).ok()?;
        let value = decode_text_string(value).ok()?;
        let value = value.trim();
        let sound = !value.is_empty() && value.len() <= LONGEST;
        (sound && !value.contains(char::is_control)).then(|| value.to_owned())
    };
    // What programs put there when nobody has written a title.
    let title = said(info, b"Title").filter(|title| {
        let lower = title.to_lowercase();
        let named = [
            ".doc", ".docx", ".pdf", ".indd", ".tex", ".xls", ".xlsx", ".ppt", ".pptx",
        ];
        !lower.starts_with("untitled")
            && !lower.starts_with("microsoft word")
            && !named.iter().any(|ending| lower.ends_with(ending))
    });
    parsed.title = title.unwrap_or_default();
    let catalog = document.catalog().ok();
    let all = [
        ("author", said(info, b"Author")),
        ("description", said(info, b"Subject")),
        ("keywords", said(info, b"Keywords")),
        ("language", said(catalog, b"Lang")),
        (
            "date",
            said(info, b"CreationDate").and_then(|date| day(&date)),
        ),
    ];
    let all = all.into_iter();
    let said = all.filter_map(|(name, value)| Some((name.to_owned(), value?)));
    parsed.metadata.extend(said);
}

/// `D:20230401...` as `2023-04-01`.
fn day(date: &str) -> Option<String> {
    let digits = date.strip_prefix("D:").unwrap_or(date).get(..8)?;
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (year, month, day) = (&digits[..4], &digits[4..6], &digits[6..]);
    Some(format!("{year}-{month}-{day}"))
}
