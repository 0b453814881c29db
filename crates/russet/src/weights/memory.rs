//! Long arrays and the pages they lie on. A page that is touched for the first time costs a microsecond or two, as much as learning from a few hundred
//! weights, so an array that grows should neither move nor be filled before it is used.

/// An array that outgrows its room gets this many times as much: address space costs nothing.
const ROOM: usize = 64;

/// Up to this many elements, memory is not worth a thought.
const FEW: usize = 1 << 12;

/// Asks the system for large pages: where weights lie scattered over more memory than the processor keeps page addresses
/// for, finding those costs more than the weights. A wish, so failing is no error.
fn prefer_large_pages<T>(unused: &mut [T]) {
    const PAGE: usize = 1 << 12;
    let start = (unused.as_ptr() as usize).next_multiple_of(PAGE);
    let end = (unused.as_ptr() as usize + size_of_val(unused)) / PAGE * PAGE;
    #[cfg(target_os = "linux")]
    if start < end {
        // SAFETY: whole pages of a slice that is borrowed; the advice changes no content.
        unsafe { libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE) };
    }
}

/// Sets address space for `length` elements aside, so that the array does not move as it grows to that. Where there is not so much, it moves.
pub(crate) fn reserve<T>(all: &mut Vec<T>, length: usize) {
    if all.try_reserve_exact(length.saturating_sub(all.len())).is_ok() {
        prefer_large_pages(all.spare_capacity_mut());
    }
}

/// Makes an array longer, by zeros; it will have no more than `limit` elements. What is much longer than before is made anew, of memory that the system
/// gives out zeroed and only where it is touched: a table of 2^30 weights that a file asks for takes no more than the file fills.
pub(crate) fn extend_with_zeros<T: bytemuck::Zeroable + Copy>(all: &mut Vec<T>, length: usize, limit: usize) {
    if length > all.capacity() && length > 2 * all.len() + FEW {
        let mut longer = bytemuck::zeroed_vec(length);
        longer[..all.len()].copy_from_slice(all);
        *all = longer;
        return;
    }
    if length > all.capacity() && length > FEW {
        reserve(all, length.saturating_mul(ROOM).min(limit));
    }
    all.resize(length, T::zeroed());
}

/// Makes place for the element at `place`, by zeros, in an array that will have no more than `limit`. They are written: a page that is first read and only
/// then written to costs twice, and a word with every other processor.
pub(crate) fn make_place<T: bytemuck::Zeroable + Copy>(all: &mut Vec<T>, place: usize, limit: usize) {
    if all.len() <= place {
        let length = (place + 1).next_power_of_two();
        if length > all.capacity() && length > FEW {
            reserve(all, limit);
        }
        all.resize(length, T::zeroed());
    }
}
