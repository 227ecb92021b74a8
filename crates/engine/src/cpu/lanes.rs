//! Vectors of the machine's width behind one small trait.
//!
//! The product kernel is written once over [`Lanes`] and compiled for each instruction set; the
//! widest one the running machine has is chosen at run time, so a plain build is as fast as one
//! tuned to the machine. Only what the kernel needs is here: everything else in this crate leaves
//! vectorising to the compiler, inside functions compiled for the same instruction sets.

/// A vector of `f32` lanes.
///
/// # Safety
/// Every method may only be called on a machine that has the implementation's instructions, and
/// pointers must be valid for the lanes that are touched.
pub trait Lanes: Copy {
    /// How many lanes.
    const N: usize;

    /// All lanes zero.
    unsafe fn zero() -> Self;
    /// All lanes `value`.
    unsafe fn splat(value: f32) -> Self;
    /// `N` values from `at`.
    unsafe fn load(at: *const f32) -> Self;
    /// `count < N` values from `at`, the other lanes zero.
    unsafe fn load_first(at: *const f32, count: usize) -> Self;
    /// `self + a * b`, rounded once.
    unsafe fn add_product(self, a: Self, b: Self) -> Self;
    /// `self + other`.
    unsafe fn plus(self, other: Self) -> Self;
    /// Zero in place of negative lanes; what is no number stays so.
    unsafe fn relu(self) -> Self;
    /// All lanes to `at`.
    unsafe fn store(self, at: *mut f32);
    /// The first `count < N` lanes to `at`.
    unsafe fn store_first(self, at: *mut f32, count: usize);
    /// A bit for each of up to 64 numbers: whether it is `number`.
    unsafe fn equal(numbers: &[u32], number: u32) -> u64;
}

/// Work that is compiled for each instruction set.
pub trait Kernel {
    /// Does it; to be inlined always, so that it is compiled for the instructions of `L`.
    ///
    /// # Safety
    /// The machine must have the instructions of `L`.
    unsafe fn run<L: Lanes>(self);
}

/// Does work by the widest instructions of this machine.
#[inline]
pub fn run(kernel: impl Kernel) {
    Instructions::widest().run(kernel);
}

/// Instructions that this machine has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instructions(Set);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Set {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Portable,
}

impl Instructions {
    /// The widest.
    pub fn widest() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if std::is_x86_feature_detected!("avx512f") {
                return Self(Set::Avx512);
            }
            if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
                return Self(Set::Avx2);
            }
        }
        Self(Set::Portable)
    }

    /// All, the widest first.
    #[cfg(test)]
    pub fn all() -> Vec<Self> {
        #[cfg(target_arch = "x86_64")]
        let all = [Set::Avx512, Set::Avx2, Set::Portable];
        #[cfg(not(target_arch = "x86_64"))]
        let all = [Set::Portable];
        // Whoever has wider ones has the narrower too.
        let widest = Self::widest();
        all.map(Self).into_iter().skip_while(|&one| one != widest).collect()
    }

    /// Does the work by these.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) {
        // SAFETY: the machine was asked when these were made.
        unsafe {
            match self.0 {
                #[cfg(target_arch = "x86_64")]
                Set::Avx512 => x86::run_avx512(kernel),
                #[cfg(target_arch = "x86_64")]
                Set::Avx2 => x86::run_avx2(kernel),
                Set::Portable => kernel.run::<Portable>(),
            }
        }
    }
}

/// The bits of a few numbers, from `place` on.
fn equal_bits(numbers: &[u32], number: u32, place: usize) -> u64 {
    let bits = numbers.iter().enumerate().map(|(i, it)| u64::from(*it == number) << (place + i));
    bits.fold(0, |all, bit| all | bit)
}

/// Four lanes that any compiler can map to the machine's, such as NEON.
#[derive(Clone, Copy)]
pub struct Portable([f32; 4]);

impl Lanes for Portable {
    const N: usize = 4;

    #[inline(always)]
    unsafe fn zero() -> Self {
        Self([0.0; 4])
    }

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Self([value; 4])
    }

    #[inline(always)]
    unsafe fn load(at: *const f32) -> Self {
        // SAFETY: the caller gives four readable values.
        Self(unsafe { at.cast::<[f32; 4]>().read_unaligned() })
    }

    #[inline(always)]
    unsafe fn load_first(at: *const f32, count: usize) -> Self {
        let mut lanes = [0.0; 4];
        for (i, lane) in lanes.iter_mut().enumerate().take(count) {
            // SAFETY: the caller gives `count` readable values.
            *lane = unsafe { *at.add(i) };
        }
        Self(lanes)
    }

    #[inline(always)]
    unsafe fn add_product(self, a: Self, b: Self) -> Self {
        Self(std::array::from_fn(|i| {
            // Every 64-bit ARM has the fused instruction; elsewhere it may be a call.
            if cfg!(target_arch = "aarch64") {
                a.0[i].mul_add(b.0[i], self.0[i])
            } else {
                self.0[i] + a.0[i] * b.0[i]
            }
        }))
    }

    #[inline(always)]
    unsafe fn plus(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] + other.0[i]))
    }

    #[inline(always)]
    unsafe fn relu(self) -> Self {
        Self(self.0.map(super::math::relu))
    }

    #[inline(always)]
    unsafe fn store(self, at: *mut f32) {
        // SAFETY: the caller gives four writable values.
        unsafe { at.cast::<[f32; 4]>().write_unaligned(self.0) };
    }

    #[inline(always)]
    unsafe fn store_first(self, at: *mut f32, count: usize) {
        for (i, lane) in self.0.iter().enumerate().take(count) {
            // SAFETY: the caller gives `count` writable values.
            unsafe { *at.add(i) = *lane };
        }
    }

    #[inline(always)]
    unsafe fn equal(numbers: &[u32], number: u32) -> u64 {
        equal_bits(numbers, number, 0)
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Kernel, Lanes};

    #[target_feature(enable = "avx512f")]
    pub unsafe fn run_avx512<K: Kernel>(kernel: K) {
        unsafe { kernel.run::<Avx512>() }
    }

    #[target_feature(enable = "avx2,fma")]
    pub unsafe fn run_avx2<K: Kernel>(kernel: K) {
        unsafe { kernel.run::<Avx2>() }
    }

    /// Sixteen lanes.
    #[derive(Clone, Copy)]
    pub struct Avx512(__m512);

    // SAFETY (all blocks below): the caller of a method promises AVX-512F and valid pointers.
    impl Lanes for Avx512 {
        const N: usize = 16;

        #[inline(always)]
        unsafe fn zero() -> Self {
            Self(unsafe { _mm512_setzero_ps() })
        }

        #[inline(always)]
        unsafe fn splat(value: f32) -> Self {
            Self(unsafe { _mm512_set1_ps(value) })
        }

        #[inline(always)]
        unsafe fn load(at: *const f32) -> Self {
            Self(unsafe { _mm512_loadu_ps(at) })
        }

        #[inline(always)]
        unsafe fn load_first(at: *const f32, count: usize) -> Self {
            Self(unsafe { _mm512_maskz_loadu_ps((1u16 << count) - 1, at) })
        }

        #[inline(always)]
        unsafe fn add_product(self, a: Self, b: Self) -> Self {
            Self(unsafe { _mm512_fmadd_ps(a.0, b.0, self.0) })
        }

        #[inline(always)]
        unsafe fn plus(self, other: Self) -> Self {
            Self(unsafe { _mm512_add_ps(self.0, other.0) })
        }

        #[inline(always)]
        unsafe fn relu(self) -> Self {
            Self(unsafe { _mm512_max_ps(_mm512_setzero_ps(), self.0) })
        }

        #[inline(always)]
        unsafe fn store(self, at: *mut f32) {
            unsafe { _mm512_storeu_ps(at, self.0) };
        }

        #[inline(always)]
        unsafe fn store_first(self, at: *mut f32, count: usize) {
            unsafe { _mm512_mask_storeu_ps(at, (1u16 << count) - 1, self.0) };
        }

        #[inline(always)]
        unsafe fn equal(numbers: &[u32], number: u32) -> u64 {
            let (whole, rest) = numbers.as_chunks::<16>();
            let mut bits = super::equal_bits(rest, number, 16 * whole.len());
            for (i, numbers) in whole.iter().enumerate() {
                let found = unsafe {
                    let numbers = _mm512_loadu_si512(numbers.as_ptr().cast());
                    _mm512_cmpeq_epi32_mask(numbers, _mm512_set1_epi32(number.cast_signed()))
                };
                bits |= u64::from(found) << (16 * i);
            }
            bits
        }
    }

    /// Eight lanes.
    #[derive(Clone, Copy)]
    pub struct Avx2(__m256);

    #[inline(always)]
    unsafe fn first(count: usize) -> __m256i {
        const ONES_THEN_ZEROS: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];
        unsafe { _mm256_loadu_si256(ONES_THEN_ZEROS.as_ptr().add(8 - count).cast()) }
    }

    // SAFETY (all blocks below): the caller of a method promises AVX2, FMA and valid pointers.
    impl Lanes for Avx2 {
        const N: usize = 8;

        #[inline(always)]
        unsafe fn zero() -> Self {
            Self(unsafe { _mm256_setzero_ps() })
        }

        #[inline(always)]
        unsafe fn splat(value: f32) -> Self {
            Self(unsafe { _mm256_set1_ps(value) })
        }

        #[inline(always)]
        unsafe fn load(at: *const f32) -> Self {
            Self(unsafe { _mm256_loadu_ps(at) })
        }

        #[inline(always)]
        unsafe fn load_first(at: *const f32, count: usize) -> Self {
            Self(unsafe { _mm256_maskload_ps(at, first(count)) })
        }

        #[inline(always)]
        unsafe fn add_product(self, a: Self, b: Self) -> Self {
            Self(unsafe { _mm256_fmadd_ps(a.0, b.0, self.0) })
        }

        #[inline(always)]
        unsafe fn plus(self, other: Self) -> Self {
            Self(unsafe { _mm256_add_ps(self.0, other.0) })
        }

        #[inline(always)]
        unsafe fn relu(self) -> Self {
            Self(unsafe { _mm256_max_ps(_mm256_setzero_ps(), self.0) })
        }

        #[inline(always)]
        unsafe fn store(self, at: *mut f32) {
            unsafe { _mm256_storeu_ps(at, self.0) };
        }

        #[inline(always)]
        unsafe fn store_first(self, at: *mut f32, count: usize) {
            unsafe { _mm256_maskstore_ps(at, first(count), self.0) };
        }

        #[inline(always)]
        unsafe fn equal(numbers: &[u32], number: u32) -> u64 {
            let (whole, rest) = numbers.as_chunks::<8>();
            let mut bits = super::equal_bits(rest, number, 8 * whole.len());
            for (i, numbers) in whole.iter().enumerate() {
                let found = unsafe {
                    let numbers = _mm256_loadu_si256(numbers.as_ptr().cast());
                    let equal =
                        _mm256_cmpeq_epi32(numbers, _mm256_set1_epi32(number.cast_signed()));
                    _mm256_movemask_ps(_mm256_castsi256_ps(equal))
                };
                bits |= u64::from(found.cast_unsigned()) << (8 * i);
            }
            bits
        }
    }
}
