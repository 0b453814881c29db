//! What the tokens of a line are.

use std::arch::x86_64::__m512i;

/// What the tokens of a line are: a bit for each.
#[derive(Clone, Copy)]
pub(super) struct Roles {
    /// Of the line.
    pub(super) within: u64,
    /// The last one of a feature.
    pub(super) last: u64,
    /// After a colon.
    pub(super) whole: u64,
    /// After a point.
    pub(super) fraction: u64,
    /// May have no digits.
    pub(super) optional: u64,
}

/// What the next tokens have to know of those before them.
#[derive(Clone, Copy)]
pub(super) struct Before {
    pub(super) space: u64,
    pub(super) colon: u64,
    pub(super) point: u64,
    pub(super) numbers: __m512i,
}

/// What tokens are, by the bytes that end them: a bit for each in one of the four, or the line is not in the common form.
#[inline]
pub(super) fn roles(spaces: u64, colons: u64, points: u64, line_ends: u64, before: &mut Before) -> Option<Roles> {
    let after = |bits: u64, before: u64| bits << 1 | before;
    let name = after(spaces, before.space);
    let (whole, fraction) = (after(colons, before.colon), after(points, before.point));
    (before.space, before.colon, before.point) = (spaces >> 63, colons >> 63, points >> 63);
    let within = line_ends ^ line_ends.wrapping_sub(1);
    let others = !(spaces | colons | points | line_ends);
    let misplaced = colons & !name | points & !whole;
    let last = (spaces | line_ends) & within;
    let optional = name & last | whole & points;
    ((others | misplaced) & within == 0).then_some(Roles { within, last, whole, fraction, optional })
}

impl Roles {
    #[inline(always)]
    pub(super) fn shifted(self, by: usize) -> Roles {
        Roles {
            within: self.within >> by,
            last: self.last >> by,
            whole: self.whole >> by,
            fraction: self.fraction >> by,
            optional: self.optional >> by,
        }
    }
}
