//! Which paragraphs are headings: those that the outline names, else those in larger type.

use std::collections::{BTreeMap, HashMap};

use super::bookmarks::Bookmark;
use super::layout::Paragraph;
use super::running::{known_again, repeated};
use crate::read::numbering;

/// The most letters and lines of a heading.
const MOST_LETTERS: usize = 200;
const MOST_LINES: usize = 4;
/// More sizes than this are no levels.
const MOST_RANKS: usize = 6;

/// The rank of each paragraph that is a heading.
pub(super) fn ranks(
    pages: &[(usize, Vec<Paragraph>)],
    bookmarks: &[(Bookmark, Option<usize>)],
) -> HashMap<(usize, usize), usize> {
    let told = by_outline(pages, bookmarks);
    // An outline that names what is not there is about something else.
    if told.len() >= 2 && told.len() * 2 >= bookmarks.len() {
        return told;
    }
    by_size(pages)
}

/// The letters of a text, by which it is known again.
fn bare(text: &str) -> String {
    let letters = text.chars().filter(|one| one.is_alphanumeric());
    letters.flat_map(char::to_lowercase).take(300).collect()
}

/// So many paragraphs of a page are looked at for titles that are written a little differently.
const MOST_COMPARED: usize = 200;

/// The paragraphs of a page, by their letters.
struct Known {
    bare: Vec<String>,
    /// Those of the same letters, the last first.
    exact: HashMap<String, Vec<usize>>,
}

impl Known {
    fn of(paragraphs: &[Paragraph]) -> Self {
        let texts = paragraphs.iter().map(|paragraph| bare(&paragraph.text));
        let bare: Vec<String> = texts.collect();
        let mut exact: HashMap<String, Vec<usize>> = HashMap::new();
        for (place, text) in bare.iter().enumerate().rev() {
            exact.entry(text.clone()).or_default().push(place);
        }
        Self { bare, exact }
    }

    /// The first place of a title that is not taken yet.
    fn place(&mut self, title: &str, taken: impl Fn(usize) -> bool) -> Option<usize> {
        if let Some(places) = self.exact.get_mut(title) {
            while let Some(place) = places.pop() {
                if !taken(place) {
                    return Some(place);
                }
            }
        }
        let is_title = |text: &str| {
            // The number may be in the outline, or on the page, only.
            (title.len() > 3 && text.len() < title.len() + 8 && text.ends_with(title))
                || (text.len() > 3 && title.len() < text.len() + 8 && title.ends_with(text))
        };
        let places = self.bare.iter().enumerate().take(MOST_COMPARED);
        let mut places = places.filter(|(place, text)| is_title(text) && !taken(*place));
        places.next().map(|(place, _)| place)
    }
}

/// Each entry of the outline is looked for on its page.
fn by_outline(
    pages: &[(usize, Vec<Paragraph>)],
    bookmarks: &[(Bookmark, Option<usize>)],
) -> HashMap<(usize, usize), usize> {
    let mut told = HashMap::new();
    let mut known: HashMap<usize, Known> = HashMap::new();
    for (bookmark, page) in bookmarks {
        let Some(page) = *page else { continue };
        let Some((_, paragraphs)) = pages.get(page) else {
            continue;
        };
        let known = known.entry(page).or_insert_with(|| Known::of(paragraphs));
        let title = bare(&bookmark.title);
        let place = known.place(&title, |place| told.contains_key(&(page, place)));
        if let Some(place) = place {
            told.insert((page, place), bookmark.depth);
        }
    }
    told
}

/// Sizes in tenths of a point.
fn tenths(size: f64) -> u64 {
    (size * 10.0).round().clamp(0.0, 1e9) as u64
}

fn by_size(pages: &[(usize, Vec<Paragraph>)]) -> HashMap<(usize, usize), usize> {
    let Some(usual) = usual_size(pages) else {
        return HashMap::new();
    };
    let repeated = repeated(pages);
    let mut large = Vec::new();
    let mut numbered = Vec::new();
    for (page, (_, paragraphs)) in pages.iter().enumerate() {
        for (place, paragraph) in paragraphs.iter().enumerate() {
            let letters = paragraph.text.chars().count();
            let fits = letters <= MOST_LETTERS
                && paragraph.lines <= MOST_LINES
                && paragraph.text.chars().any(char::is_alphabetic)
                && !repeated.contains(&known_again(&paragraph.text));
            if !fits {
                continue;
            }
            if paragraph.size > 1.12 * usual {
                large.push(((page, place), tenths(paragraph.size)));
            } else if paragraph.bold
                && paragraph.lines == 1
                && let Some(found) = numbering::heading(&paragraph.text)
                && found.length == paragraph.text.len()
            {
                numbered.push(((page, place), found.rank));
            }
        }
    }
    let mut sizes: Vec<u64> = large.iter().map(|(_, size)| *size).collect();
    sizes.sort_unstable_by(|one, other| other.cmp(one));
    // Sizes that differ by less than half a point are one.
    sizes.dedup_by(|next, kept| *kept - *next < 5);
    let mut ranks = HashMap::new();
    for (place, size) in large {
        let above = sizes.partition_point(|known| *known >= size + 5);
        ranks.insert(place, (above + 1).min(MOST_RANKS));
    }
    for (place, rank) in numbered {
        ranks.insert(place, MOST_RANKS + rank);
    }
    ranks
}

/// The size of most letters.
pub(super) fn usual_size(pages: &[(usize, Vec<Paragraph>)]) -> Option<f64> {
    let mut letters: BTreeMap<u64, usize> = BTreeMap::new();
    for paragraph in pages.iter().flat_map(|(_, paragraphs)| paragraphs) {
        *letters.entry(tenths(paragraph.size)).or_default() += paragraph.text.len();
    }
    let most = letters.into_iter().max_by_key(|(_, count)| *count)?;
    Some(most.0 as f64 / 10.0)
}

/// What the document is called by its first page: what stands there in the largest type, if that is larger than the
/// text.
pub(super) fn title(pages: &[(usize, Vec<Paragraph>)]) -> Option<String> {
    let usual = usual_size(pages)?;
    let (_, first) = pages
        .iter()
        .find(|(_, paragraphs)| !paragraphs.is_empty())?;
    let fits = |paragraph: &&Paragraph| {
        paragraph.size > 1.3 * usual
            && paragraph.text.chars().count() <= MOST_LETTERS
            && paragraph
                .text
                .chars()
                .filter(|one| one.is_alphabetic())
                .count()
                >= 2
    };
    let largest = first.iter().filter(fits);
    // The first of those that are as large.
    let largest = largest
        .rev()
        .max_by(|one, other| one.size.total_cmp(&other.size))?;
    Some(largest.text.clone())
}
