//! Which nodes a walk has seen: a byte per node that holds the number of the walk, so that nothing
//! has to be cleared between walks but once in 255.

/// The marks of one walk at a time.
#[derive(Debug, Default)]
pub(crate) struct Visited {
    marks: Vec<u8>,
    walk: u8,
}

impl Visited {
    /// Begins a walk over so many nodes, none of them seen.
    pub(crate) fn begin(&mut self, nodes: usize) {
        if self.marks.len() < nodes {
            self.marks.resize(nodes, 0);
        }
        self.walk = self.walk.wrapping_add(1);
        if self.walk == 0 {
            self.marks.fill(0);
            self.walk = 1;
        }
    }

    /// Marks a node; whether it is one, and was not seen before.
    #[inline]
    pub(crate) fn is_new(&mut self, node: u32) -> bool {
        match self.marks.get_mut(node as usize) {
            Some(mark) if *mark != self.walk => {
                *mark = self.walk;
                true
            }
            _ => false,
        }
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.marks.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_new_once_in_each_of_many_walks() {
        let mut visited = Visited::default();
        for walk in 0..600 {
            visited.begin(10 + walk % 3);
            assert!(visited.is_new(9) && !visited.is_new(9), "walk {walk}");
            assert!(visited.is_new(walk as u32 % 9));
        }
        assert!(!visited.is_new(12), "there is no such node");
    }
}
