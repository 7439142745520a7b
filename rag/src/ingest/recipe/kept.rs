//! The recipe of a database, out of the profile that is kept in it: whoever opens it later does the same.

use super::{Recipe, System};
use crate::build::Profile;
use crate::chunk::Chunking;
use crate::extract::Domain;

const SYSTEM: &str = "system";
const PIECES: &str = "pieces";
const ROOT: &str = "root";
const ABOUT_ROOT: &str = "about root";

impl Recipe {
    /// The recipe by which a database of this profile was built; nothing if it was built without one.
    ///
    /// ```
    /// use stratigraph_rag::ingest::{Recipe, System};
    ///
    /// let recipe = Recipe::new(System::Bag, 256).filterable(["year"]);
    /// let again = Recipe::of(&recipe.profile()).unwrap();
    /// assert_eq!(again.profile(), recipe.profile());
    /// ```
    #[must_use]
    pub fn of(profile: &Profile) -> Option<Self> {
        let system: System = profile.parameter_named(SYSTEM)?.parse().ok()?;
        let (chunking, join) = pieces(profile.parameter_named(PIECES)?)?;
        let mut recipe = Self::new(system, 16)
            .filterable(profile.filters().iter().cloned())
            .analysis(profile.analysis_of_texts());
        (recipe.chunking, recipe.join) = (chunking, join);
        if let Some(name) = profile.parameter_named(ROOT) {
            recipe.root = Domain {
                name: name.to_owned(),
                description: profile.parameter_named(ABOUT_ROOT)?.to_owned(),
            };
        }
        Some(recipe)
    }

    /// The profile with all that [`of`](Self::of) needs.
    pub(super) fn kept_in(&self, profile: Profile) -> Profile {
        let pieces = format!("{:?} joined by {}", self.chunking, self.join);
        let profile = profile.parameter(SYSTEM, self.system.name());
        let profile = profile.parameter(PIECES, pieces);
        match profile.has_tags() {
            // Only there is anything made of it.
            true => profile
                .parameter(ROOT, &self.root.name)
                .parameter(ABOUT_ROOT, &self.root.description),
            false => profile,
        }
    }
}

/// Reads what `kept_in` writes: a name, and the numbers in their order.
fn pieces(kept: &str) -> Option<(Chunking, usize)> {
    let name = kept.split(' ').next()?;
    let numbers = kept.split(|sign: char| !sign.is_ascii_digit());
    let numbers = numbers.filter(|part| !part.is_empty());
    let numbers: Vec<usize> = numbers.map(str::parse).collect::<Result<_, _>>().ok()?;
    let chunking = match (name, &numbers[..]) {
        ("Headings", &[limit, carried_lines, _]) => Chunking::Headings {
            limit,
            carried_lines,
        },
        ("Windows", &[size, overlap, _]) => Chunking::Windows { size, overlap },
        ("Text", &[size, overlap, _]) => Chunking::Text { size, overlap },
        ("Structure", &[limit, _]) => Chunking::Structure { limit },
        ("Sentences", &[count, overlap, _]) => Chunking::Sentences { count, overlap },
        _ => return None,
    };
    Some((chunking, *numbers.last()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use stratigraph::Analysis;

    #[test]
    fn every_recipe_comes_back_as_it_was() {
        let all = [
            Chunking::Headings {
                limit: 9,
                carried_lines: 2,
            },
            Chunking::Windows {
                size: 7,
                overlap: 1,
            },
            Chunking::Text {
                size: 40,
                overlap: 0,
            },
            Chunking::Structure { limit: 70 },
            Chunking::Sentences {
                count: 4,
                overlap: 3,
            },
        ];
        let root = Domain {
            name: "Geology joined by 7".to_owned(),
            description: "Structure { limit: 1 }".to_owned(),
        };
        for system in System::ALL {
            let recipes = all.map(|chunking| Recipe::new(system, 90).chunking(chunking));
            for recipe in recipes.into_iter().chain([Recipe::new(system, 300)]) {
                let recipe = recipe.filterable(["b", "a"]).root(root.clone());
                let recipe = recipe.analysis(Analysis::Italian);
                let again = Recipe::of(&recipe.profile()).unwrap();
                assert_eq!(again.profile(), recipe.profile());
                assert_eq!((again.chunking, again.join), (recipe.chunking, recipe.join));
                let kept = again.root.name == root.name;
                assert_eq!(kept, system.has_domains());
            }
        }
        assert!(Recipe::of(&Profile::bag()).is_none(), "nobody said how");
        let odd = Recipe::new(System::Bag, 9).profile();
        for pieces in ["", "Headings", "Headings 1 joined by 1", "Cakes 1 2 3"] {
            let odd = odd.clone().parameter(PIECES, pieces);
            assert!(Recipe::of(&odd).is_none(), "{pieces}");
        }
        let vast = format!("Structure {{ limit: {} }} joined by 1", u128::MAX);
        assert!(Recipe::of(&odd.parameter(PIECES, vast)).is_none());
    }
}
