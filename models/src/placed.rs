//! An embedder for tests, which say where in the plane each text lies.

use crate::embedder::{Embedder, Rows};
use crate::error::ModelError;

/// Where a text lies.
type Place = dyn Fn(&str) -> Result<[f32; 2], ModelError> + Send + Sync;

/// An embedder whose vectors have two numbers, which a test chooses: so the cosines are what it wants them to be.
///
/// ```
/// use stratigraph_models::{Embedder, Placed};
///
/// let angles = Placed::at_angles([("covers", 0.0), ("pays", 90.0)], Some(Placed::direction(180.0)));
/// let rows = angles.embed(&["covers", "anything else"])?;
/// assert_eq!(rows.row(0), Some(&[1.0, 0.0][..]));
/// assert_eq!(rows.row(1), Some(&Placed::direction(180.0)[..]));
///
/// let lengths = Placed::by("lengths", |text| Ok([text.len() as f32, 1.0]));
/// assert_eq!(lengths.embed(&["four"])?.values(), [4.0, 1.0]);
/// # Ok::<(), stratigraph_models::ModelError>(())
/// ```
#[must_use]
pub struct Placed {
    name: &'static str,
    place: Box<Place>,
    /// Where all questions lie, if not where their texts do.
    questions: Option<[f32; 2]>,
}

impl Placed {
    /// Each text where this says.
    pub fn by(
        name: &'static str,
        place: impl Fn(&str) -> Result<[f32; 2], ModelError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name,
            place: Box::new(place),
            questions: None,
        }
    }

    /// Each of these texts at its angle in degrees, and all others there; if nothing is said of others, they are
    /// [`ModelError::NothingRecorded`].
    pub fn at_angles(
        angles: impl IntoIterator<Item = (&'static str, f32)>,
        others: Option<[f32; 2]>,
    ) -> Self {
        let angles: Vec<(&str, f32)> = angles.into_iter().collect();
        Self::by("angles", move |text| {
            let known = angles.iter().find(|(name, _)| *name == text);
            let known = known.map(|(_, degrees)| Self::direction(*degrees));
            known.or(others).ok_or(ModelError::NothingRecorded)
        })
    }

    /// All questions there.
    pub fn questions(mut self, place: [f32; 2]) -> Self {
        self.questions = Some(place);
        self
    }

    /// The vector of length 1 at an angle.
    #[must_use]
    pub fn direction(degrees: f32) -> [f32; 2] {
        let angle = degrees.to_radians();
        [angle.cos(), angle.sin()]
    }
}

impl Embedder for Placed {
    fn name(&self) -> &str {
        self.name
    }

    fn dimensions(&self) -> usize {
        2
    }

    fn max_tokens(&self) -> usize {
        usize::MAX
    }

    fn embed(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        let mut rows = Rows::zeros(texts.len(), 2)?;
        for (&text, row) in texts.iter().zip(rows.iter_mut()) {
            row.copy_from_slice(&(self.place)(text)?);
        }
        Ok(rows)
    }

    fn embed_questions(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        let Some(place) = self.questions else {
            return self.embed(texts);
        };
        let mut rows = Rows::zeros(texts.len(), 2)?;
        rows.iter_mut().for_each(|row| row.copy_from_slice(&place));
        Ok(rows)
    }
}
