//! apple: parents, and the products of each with every base feature.
//!
//! A *parent* is a monomial whose products with all base features are in the feature set. A product that two parents
//! reach belongs to the earlier one; the later one is *barred* from it. A product is a candidate to become a parent
//! itself, so parents form trees: each is a base feature, or one factor more than an earlier parent. The parents
//! present in an example are found from the roots down, at the cost of those present: each is asked for at most as many
//! offspring as the example has features, up to a logarithm. `learner/cost.rs` holds it to that.

mod bits;
mod enumerator;
mod parent;
mod parents;
#[cfg(test)]
mod tests;

pub(crate) use bits::Bits;
pub(crate) use enumerator::{Aimed, Enumerator, Factors};
pub(crate) use parent::Parent;
pub(crate) use parents::Parents;
