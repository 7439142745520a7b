//! The blocks of a page: what stands between its fences, with the line where each begins.

/// A block, and its kind: what stands after the first fence.
pub(crate) struct Block<'a> {
    pub(crate) line: usize,
    pub(crate) kind: &'a str,
    pub(crate) text: Vec<&'a str>,
}

/// Every block of a page, of which each must have an end.
#[track_caller]
pub(crate) fn blocks(page: &str) -> Vec<Block<'_>> {
    let (mut blocks, mut open) = (Vec::new(), None::<Block<'_>>);
    for (line, text) in page.lines().enumerate() {
        match (text.strip_prefix("```"), &mut open) {
            (Some(kind), None) => {
                open = Some(Block {
                    line: line + 1,
                    kind,
                    text: Vec::new(),
                });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => block.text.push(text),
            (None, None) => {}
        }
    }
    if let Some(open) = open {
        panic!("the block of line {} has no end", open.line);
    }
    blocks
}
