//! What could not be taken in, or would not be: a run and its forecast tell it alike.

use crate::read::ReadError;

/// Documents that could not be taken in, and lines that were left out, each with the reason. Of a forecast, those that
/// would be.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Problems {
    /// Documents that are as they were before: the first [`Problems::MOST_TOLD`] of them.
    pub failed: Vec<Failed>,
    /// How many that are.
    pub count_failed: usize,
    /// Lines of lists that are left out because they are broken: the first [`Problems::MOST_TOLD`] of them. Each names
    /// its list.
    pub broken_lines: Vec<ReadError>,
    /// How many that are.
    pub count_broken_lines: u64,
}

impl Problems {
    /// So many of a kind are told one by one.
    pub const MOST_TOLD: usize = 1000;

    /// Why documents failed, then what is wrong with lines that are left out.
    pub fn all(&self) -> impl Iterator<Item = &(dyn std::error::Error + 'static)> {
        let failed = self.failed.iter().map(|failed| &*failed.error as _);
        failed.chain(self.broken_lines.iter().map(|error| error as _))
    }

    /// Both together.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.count_failed += other.count_failed;
        let room = Self::MOST_TOLD.saturating_sub(self.failed.len());
        self.failed.extend(other.failed.into_iter().take(room));
        self.count_broken_lines += other.count_broken_lines;
        let room = Self::MOST_TOLD.saturating_sub(self.broken_lines.len());
        self.broken_lines
            .extend(other.broken_lines.into_iter().take(room));
        self
    }

    pub(super) fn fail(
        &mut self,
        document: Option<&str>,
        error: impl std::error::Error + Send + Sync + 'static,
    ) {
        self.count_failed += 1;
        if self.failed.len() < Self::MOST_TOLD {
            self.failed.push(Failed {
                document: document.map(str::to_owned),
                error: Box::new(error),
            });
        }
    }

    /// A document that cannot be read.
    pub(super) fn unreadable(&mut self, error: ReadError) {
        let document = error.file.clone();
        self.fail(Some(&document), error);
    }

    pub(super) fn broken_line(&mut self, error: ReadError) {
        self.count_broken_lines += 1;
        if self.broken_lines.len() < Self::MOST_TOLD {
            self.broken_lines.push(error);
        }
    }
}

/// A document that is as it was before.
#[derive(Debug)]
pub struct Failed {
    /// Its id; none where what failed is no single document.
    pub document: Option<String>,
    /// Why. The text may begin with the id.
    pub error: Box<dyn std::error::Error + Send + Sync>,
}
