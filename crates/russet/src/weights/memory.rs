//! Long arrays and the pages they lie on. A page that is touched for the first time costs a microsecond or two, as much as learning from a few hundred
//! weights, so an array that grows should neither move nor be filled before it is used.

use std::mem::MaybeUninit;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An array that outgrows its room gets this many times as much: address space costs nothing.
const ROOM: usize = 64;

/// Up to this many elements, memory is not worth a thought.
const FEW: usize = 1 << 12;

/// An array of so many bytes should not move again.
const LONG: usize = 1 << 16;

/// What the system calls a large page.
const LARGE_PAGE: usize = 1 << 21;

/// Arrays of at least so many bytes are had sooner in large pages, even if one is only half filled.
const WORTH_A_LARGE_PAGE: usize = LARGE_PAGE / 2;

/// The first large page of an array is made from so many bytes on, where there are few: it costs as much as they did in small pages.
const WORTH_AN_EARLY_PAGE: usize = LARGE_PAGE / 4;

/// So many arrays have theirs early. A model of a hundred classes has many hundred, which would take eight times their memory.
const EARLY_PAGES: usize = 24;

/// A block that is longer than any that an allocator cuts out of a heap of its own (glibc: 32 MiB at most, by what was freed
/// before): it has one of the system's, which begins where a large page does, and whose zeros need not be written. What is not
/// touched of it costs nothing.
const OWN_BLOCK: usize = 17 * LARGE_PAGE;

/// What an allocator may note down before a block that it has from the system.
const NOTED: usize = 64;

/// Asks the system for large pages, for all the room that an array has: where weights lie scattered over more memory than the processor keeps
/// page addresses for, finding those costs more than the weights; and what is filled from end to end is had for a sixth. A wish, so failing is no error.
fn prefer_large_pages<T>(all: &Vec<T>) {
    const PAGE: usize = 1 << 12;
    // Outwards, to the ends of the block that the allocator has from the system: a large page has to be within what is asked for in one go.
    let (start, bytes) = (all.as_ptr() as usize, all.capacity() * size_of::<T>());
    let (from, to) = (start / PAGE * PAGE, (start + bytes).next_multiple_of(PAGE));
    #[cfg(target_os = "linux")]
    if bytes >= WORTH_A_LARGE_PAGE {
        // SAFETY: the advice changes no content and no rights, of these pages or of what is beside them.
        unsafe { libc::madvise(from as *mut libc::c_void, to - from, libc::MADV_HUGEPAGE) };
    }
}

/// Makes the first large page of an array. Touching is not enough as it is for the others: the allocator's note before the block is on a small page
/// already, and then all of the first large page would be made of small ones. A wish as well.
fn make_first_page_large<T>(all: &Vec<T>) {
    let (place, bytes) = (all.as_ptr() as usize, all.capacity() * size_of::<T>());
    let start = place / LARGE_PAGE * LARGE_PAGE;
    // Anything else is no block that the system has laid out for large pages.
    #[cfg(target_os = "linux")]
    if place - start <= NOTED && bytes + NOTED >= LARGE_PAGE {
        /// As in Linux; the crate has it for some C libraries only.
        const MADV_COLLAPSE: libc::c_int = 25;
        // SAFETY: the pages keep their content and their rights; only where they lie in the machine changes.
        unsafe { libc::madvise(start as *mut libc::c_void, LARGE_PAGE, MADV_COLLAPSE) };
    }
}

/// To be called before an array grows to `length` within its room: makes the first large page, once it is worth it.
fn expect<T>(all: &Vec<T>, length: usize) {
    let bytes = |length: usize| length.saturating_mul(size_of::<T>());
    let passes = |bound: usize| bytes(length) >= bound && bytes(all.len()) < bound;
    if passes(WORTH_A_LARGE_PAGE) || passes(WORTH_AN_EARLY_PAGE) && is_one_of_few() {
        make_first_page_large(all);
    }
}

/// True for the first [`EARLY_PAGES`] that ask.
fn is_one_of_few() -> bool {
    static GIVEN: AtomicUsize = AtomicUsize::new(0);
    GIVEN.load(Ordering::Relaxed) < EARLY_PAGES && GIVEN.fetch_add(1, Ordering::Relaxed) < EARLY_PAGES
}

/// At least `length`: as many elements as fill whole large pages, together with what an allocator notes before them. The
/// system lays out a block of just that size so that no small page is left at its ends.
fn whole_large_pages<T>(length: usize) -> usize {
    let bytes = length.saturating_mul(size_of::<T>());
    if !(WORTH_A_LARGE_PAGE..=usize::MAX / 2).contains(&bytes) || !is_address_space_free() {
        return length;
    }
    ((bytes + NOTED).next_multiple_of(LARGE_PAGE).max(OWN_BLOCK) - NOTED) / size_of::<T>()
}

/// Sets address space for `length` elements aside, so that the array does not move as it grows to that. Where there is not so much, it moves.
pub(crate) fn reserve<T>(all: &mut Vec<T>, length: usize) {
    let soon = all.len();
    reserve_for(all, length, soon);
}

/// True if address space costs nothing: there is no limit to it (`ulimit -v`).
fn is_address_space_free() -> bool {
    static IS_FREE: OnceLock<bool> = OnceLock::new();
    *IS_FREE.get_or_init(is_without_limit)
}

#[cfg(target_os = "linux")]
fn is_without_limit() -> bool {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: it writes to `limit`, and nothing else.
    let told = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) };
    told == 0 && limit.rlim_cur == libc::RLIM_INFINITY
}

#[cfg(not(target_os = "linux"))]
fn is_without_limit() -> bool {
    false
}

/// The same for an array that will soon have `soon` elements.
fn reserve_for<T>(all: &mut Vec<T>, length: usize, soon: usize) {
    if !is_address_space_free() && length > soon {
        return;
    }
    let whole = whole_large_pages::<T>(length);
    if size_of_val(all.as_slice()) >= LARGE_PAGE {
        // The system moves pages without copying them.
        if try_reserve(all, whole, length) {
            prefer_large_pages(all);
        }
    } else if length > all.capacity() {
        // Copied, so that large pages are asked for before the first of them is touched.
        let mut roomy = Vec::new();
        if try_reserve(&mut roomy, whole, length) {
            prefer_large_pages(&roomy);
            expect(&roomy, soon);
            roomy.append(all);
            *all = roomy;
        }
    }
}

/// Room for `whole` elements if there is so much, otherwise for `least`.
fn try_reserve<T>(all: &mut Vec<T>, whole: usize, least: usize) -> bool {
    let [whole, least] = [whole, least].map(|length| length.saturating_sub(all.len()));
    all.try_reserve_exact(whole).or_else(|_| all.try_reserve_exact(least)).is_ok()
}

/// Makes room for `more` elements that will be added. What has become long gets much more, so that it need not move again.
#[inline]
pub(crate) fn make_room<T>(all: &mut Vec<T>, more: usize) {
    if all.capacity() - all.len() < more {
        enlarge(all, more);
    }
}

#[cold]
fn enlarge<T>(all: &mut Vec<T>, more: usize) {
    let length = all.len() + more;
    if length.saturating_mul(size_of::<T>()) > LONG {
        reserve_for(all, length.saturating_mul(ROOM), length);
    }
    all.reserve(more);
}

/// An empty array with room for `length` elements, all of which will be written.
pub(crate) fn room_to_fill<T>(length: usize) -> Vec<T> {
    let mut all = Vec::new();
    reserve_to_fill(&mut all, length);
    all
}

/// Makes room for `length` elements, all of which will be written.
pub(crate) fn reserve_to_fill<T>(all: &mut Vec<T>, length: usize) {
    reserve_for(all, length, length);
}

/// Large pages for an array of which at least `length` elements will be written soon.
pub(crate) fn fill_large_pages<T>(all: &Vec<T>, length: usize) {
    prefer_large_pages(all);
    if length.min(all.capacity()).saturating_mul(size_of::<T>()) >= WORTH_A_LARGE_PAGE {
        make_first_page_large(all);
    }
}

/// A copy of `all` with room for `length` elements.
pub(crate) fn copy_with_room<T: Copy>(all: &[T], length: usize) -> Vec<T> {
    let mut copy = Vec::new();
    reserve(&mut copy, length);
    expect(&copy, all.len());
    copy.extend_from_slice(all);
    copy
}

/// `length` zeros, most of which will be written over.
pub(crate) fn zeros_to_fill<T: bytemuck::Zeroable>(length: usize) -> Vec<T> {
    let all = zeros(length);
    prefer_large_pages(&all);
    make_first_page_large(&all);
    all
}

/// `length` zeros, of memory that the system gives out zeroed and only where it is touched.
fn zeros<T: bytemuck::Zeroable>(length: usize) -> Vec<T> {
    let whole = try_zeros(whole_large_pages::<T>(length));
    let mut all = whole.unwrap_or_else(|| bytemuck::zeroed_vec(length));
    all.truncate(length);
    all
}

fn try_zeros<T: bytemuck::Zeroable>(length: usize) -> Option<Vec<T>> {
    if align_of::<T>() <= ALLOCATORS_ALIGNMENT {
        return bytemuck::try_zeroed_vec(length).ok();
    }
    let mut all = Vec::new();
    all.try_reserve_exact(length).ok()?;
    clear(&mut all.spare_capacity_mut()[..length]);
    // SAFETY: so many elements were made zeros just now, and zeros are a value of theirs.
    unsafe { all.set_len(length) };
    Some(all)
}

/// What the standard library relies on for memory that comes zeroed. For more it writes every zero, so that all pages are touched.
const ALLOCATORS_ALIGNMENT: usize = 16;

/// Makes all of it zeros: whole pages are given back to the system, which gives out zeroed ones where they are touched.
fn clear<T>(unused: &mut [MaybeUninit<T>]) {
    let (start, bytes) = (unused.as_mut_ptr().cast::<u8>(), size_of_val(unused));
    let before = start.align_offset(PAGE).min(bytes);
    let pages = (bytes - before) / PAGE * PAGE;
    // SAFETY: all of it lies within `unused`, whose content nobody has seen.
    unsafe {
        let given = returns_zeros() && give_back(start.add(before), pages);
        start.write_bytes(0, if given { before } else { bytes });
        start.add(before + pages).write_bytes(0, bytes - before - pages);
    }
}

/// No system's small pages are larger.
const PAGE: usize = 1 << 16;

/// True if pages that are given back are zeros when they come again. Linux promises that of an allocator's memory, but an emulator may
/// take it for a mere hint, and of pages larger than these it keeps those that were given back in part: so it is tried once.
fn returns_zeros() -> bool {
    static RETURNS_ZEROS: OnceLock<bool> = OnceLock::new();
    *RETURNS_ZEROS.get_or_init(|| {
        // Of the rest nothing is touched.
        let mut block: Vec<u8> = Vec::with_capacity(OWN_BLOCK);
        let before = block.as_ptr().align_offset(PAGE);
        block.resize(before + PAGE, 1);
        let page = &mut block[before..];
        // SAFETY: a byte may be anything.
        let given = unsafe { give_back(page.as_mut_ptr(), PAGE) };
        given && std::hint::black_box(page).iter().all(|byte| *byte == 0)
    })
}

/// Gives pages that are full of memory of this process alone back to the system. Says whether it took them.
///
/// # Safety
///
/// Nobody may rely on what these bytes are.
#[cfg_attr(not(target_os = "linux"), allow(unused_variables))]
unsafe fn give_back(start: *mut u8, bytes: usize) -> bool {
    #[cfg(target_os = "linux")]
    // SAFETY: as the caller promises.
    let given = unsafe { libc::madvise(start.cast(), bytes, libc::MADV_DONTNEED) } == 0;
    #[cfg(not(target_os = "linux"))]
    let given = false;
    given
}

/// Makes an array longer, by zeros; it will have no more than `limit` elements. What is much longer than before is made anew, of memory that the system
/// gives out zeroed and only where it is touched: a table of 2^30 weights that a file asks for takes no more than the file fills.
pub(crate) fn extend_with_zeros<T: bytemuck::Zeroable + Copy>(all: &mut Vec<T>, length: usize, limit: usize) {
    if length > all.capacity() && length > 2 * all.len() + FEW {
        let mut longer = zeros(length);
        longer[..all.len()].copy_from_slice(all);
        *all = longer;
        return;
    }
    if length > all.capacity() && length > FEW {
        reserve(all, length.saturating_mul(ROOM).min(limit));
    }
    expect(all, length);
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
        expect(all, length);
        all.resize(length, T::zeroed());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_arrays_fill_large_pages() {
        assert_eq!(whole_large_pages::<u32>(1000), 1000);
        assert_eq!(whole_large_pages::<u64>(usize::MAX / 8), usize::MAX / 8);
        for length in [1 << 19, (1 << 19) + 1, 3_000_000] {
            let whole = whole_large_pages::<u32>(length);
            assert!(whole >= length && (whole * 4 + NOTED).is_multiple_of(LARGE_PAGE));
            assert!(whole * 4 + NOTED == OWN_BLOCK);
        }
    }

    #[test]
    fn zeros_are_zeros() {
        for length in [0, 10, 1 << 20] {
            let zeros: Vec<u32> = zeros_to_fill(length);
            assert!(zeros.len() == length && zeros.iter().all(|zero| *zero == 0));
        }
    }

    /// Were it not so here, tests would not see what is done where it is.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_returns_zeros() {
        assert!(returns_zeros());
    }

    #[test]
    fn memory_that_was_used_is_cleared() {
        for [from, to] in [[0, 0], [3, 50], [100, 300_000], [12_345, 65_536], [0, 300_000]] {
            let mut used = vec![7u8; 300_000];
            used.clear();
            clear(&mut used.spare_capacity_mut()[from..to]);
            // SAFETY: they were written above.
            unsafe { used.set_len(300_000) };
            assert!((0..).zip(&used).all(|(place, byte)| *byte == if (from..to).contains(&place) { 0 } else { 7 }));
        }
    }
}
