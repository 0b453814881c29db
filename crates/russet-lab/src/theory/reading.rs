//! A model's monomials and weights, read from what it tells people.

use std::collections::{BTreeMap, BTreeSet};

use russet::Model;

use super::TheoryError;

/// The features that are multiplied, ascending. The empty one is the constant.
pub(super) type Monomial = Vec<u32>;

/// What an experiment calls a feature.
pub(super) fn name(feature: u32) -> String {
    format!("x{feature}")
}

fn parse(text: &str) -> Result<Monomial, TheoryError> {
    if text == "constant" {
        return Ok(Vec::new());
    }
    let factors = text.split(" * ").map(|factor| factor.strip_prefix('x').and_then(|number| number.parse().ok()));
    let mut monomial: Monomial =
        factors.collect::<Option<_>>().ok_or_else(|| TheoryError::UnknownTerm(text.to_owned()))?;
    monomial.sort_unstable();
    Ok(monomial)
}

/// The feature set `S` of a model over `x0 .. x(d-1)`, all of 0/1: the constant, the base features, and every product of
/// a parent and a base feature; the square of a 0/1 feature is the feature.
pub(super) fn feature_set(model: &Model, d: u32) -> Result<BTreeSet<Monomial>, TheoryError> {
    let mut set: BTreeSet<Monomial> = (0..d).map(|feature| vec![feature]).collect();
    set.insert(Vec::new());
    for branch in model.tree() {
        let parent = parse(&branch.name)?;
        for feature in (0..d).filter(|feature| !parent.contains(feature)) {
            let mut product = parent.clone();
            product.insert(product.partition_point(|factor| *factor < feature), feature);
            set.insert(product);
        }
    }
    Ok(set)
}

/// The weights of a model that are not 0.
pub(super) fn weights(model: &Model) -> Result<BTreeMap<Monomial, f64>, TheoryError> {
    model.terms(usize::MAX).iter().map(|term| Ok((parse(&term.name)?, f64::from(term.weight)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_read_as_monomials() {
        assert_eq!(parse("x10 * x2").unwrap(), [2, 10]);
        assert_eq!(parse("constant").unwrap(), Vec::<u32>::new());
        assert!(parse("(shared by products)").is_err());
    }
}
