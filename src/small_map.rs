//! A map of few entries: a list sorted by its keys. In a debug build one more type of map costs a fiftieth of what a
//! `BTreeMap` costs, and what a user scripts by hand is never long.

use std::borrow::Borrow;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SmallMap<K, V>(Vec<(K, V)>);

impl<K, V> Default for SmallMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, V> SmallMap<K, V> {
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    /// In the order of the keys.
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, (K, V)> {
        self.0.iter()
    }
}

impl<K: Ord, V> SmallMap<K, V> {
    /// The value that was there before is given back.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok(at) => {
                let slot = self.0.get_mut(at)?;
                Some(std::mem::replace(&mut slot.1, value))
            }
            Err(at) => {
                self.0.insert(at, (key, value));
                None
            }
        }
    }

    pub(crate) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let at = self.find(key).ok()?;
        self.0.get(at).map(|(_, value)| value)
    }

    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.0
            .binary_search_by(|(known, _)| known.borrow().cmp(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_by_their_key_and_walked_in_its_order() {
        let mut map = SmallMap::new();
        for (key, value) in [("b", 1), ("c", 2), ("a", 3)] {
            assert_eq!(map.insert(key.to_owned(), value), None);
        }
        assert_eq!(map.insert("b".to_owned(), 4), Some(1));
        assert_eq!((map.get("b"), map.get("d")), (Some(&4), None));
        let all: Vec<_> = map
            .iter()
            .map(|(key, value)| (key.as_str(), *value))
            .collect();
        assert_eq!(all, [("a", 3), ("b", 4), ("c", 2)]);
    }
}
