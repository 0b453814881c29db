//! Random numbers that are the same in every run and on every machine.

/// Splitmix64 (Steele, Lea and Flood, 2014): a counter in steps of the golden ratio, each value well mixed.
pub(crate) struct Random(u64);

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl Random {
    /// A sequence of its own for each list of numbers, such as a seed, an experiment and a run.
    pub(crate) fn new(numbers: &[u64]) -> Random {
        Random(numbers.iter().fold(0, |state, number| mix(state.wrapping_add(GOLDEN) ^ mix(*number))))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }

    /// A number from 0 to 1, 1 excluded.
    pub(crate) fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// True with this probability.
    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        self.fraction() < probability
    }

    /// A whole number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.fraction() * limit as f64) as usize
    }

    /// `count` different numbers below `limit`, ascending.
    pub(crate) fn subset(&mut self, count: usize, limit: u32) -> Vec<u32> {
        let mut numbers: Vec<u32> = (0..limit).collect();
        while numbers.len() > count {
            numbers.remove(self.below(numbers.len()));
        }
        numbers
    }
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_even_and_sequences_differ() {
        let mut means = Vec::new();
        for numbers in [[1, 2], [2, 1], [0, 0]] {
            let mut random = Random::new(&numbers);
            let mean = (0..100_000).map(|_| random.fraction()).sum::<f64>() / 100_000.0;
            assert!((mean - 0.5).abs() < 0.004, "{mean}");
            means.push(mean);
        }
        assert!(means[0] != means[1] && means[1] != means[2]);
    }

    #[test]
    fn subsets_have_their_size_and_every_member() {
        let mut random = Random::new(&[3]);
        let mut seen = [0; 5];
        for _ in 0..1000 {
            let subset = random.subset(2, 5);
            assert!(subset.len() == 2 && subset[0] < subset[1]);
            subset.iter().for_each(|member| seen[*member as usize] += 1);
        }
        assert!(seen.iter().all(|count| (300..500).contains(count)), "{seen:?}");
    }
}
