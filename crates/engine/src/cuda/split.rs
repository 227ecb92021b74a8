//! Large products by tensor cores, as exact as in single precision (`kernels/split.cu`).
//!
//! Only GPUs of compute capability 9.0 have the instructions; elsewhere, and for shapes that do not
//! fit, the library computes.

use std::sync::Arc;

use cudarc::driver::{CudaFunction, CudaModule, CudaStream, result, sys};

use super::error::CudaError;
use super::library::LargeProduct;

/// As the kernels have it.
const TILE: (usize, usize) = (64, 128);
const SLICE: usize = 32;
const THREADS: u32 = 128;
/// Two stages of a tile's operands, of which those of the weight are there twice, and what makes
/// them begin at a multiple of 1024.
const SHARED_BYTES: u32 = 2 * 4 * (SLICE * (TILE.0 + 2 * TILE.1)) as u32 + 1024;
/// Threads of a block that splits a weight.
const SPLITTERS: u32 = 256;

/// The kernels, where a GPU has them.
#[derive(Debug, Clone)]
pub(super) struct Split {
    low: CudaFunction,
    product: CudaFunction,
}

/// What `split_product` takes.
#[repr(C)]
struct Job {
    input: u64,
    weight: u64,
    low: u64,
    addend: u64,
    bias: u64,
    out: u64,
    rows: u32,
    columns: u32,
    width: u32,
    weight_stride: u32,
    out_stride: u32,
    relu: u32,
}

impl Split {
    pub(super) fn find(module: &Arc<CudaModule>) -> Option<Self> {
        let product = module.load_function("split_product").ok()?;
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        product.set_attribute(attribute, SHARED_BYTES as i32).ok()?;
        Some(Self { low: module.load_function("split_low").ok()?, product })
    }

    /// Whether a product has a shape that the kernels can compute and that fills their tiles.
    pub(super) fn suits(product: &LargeProduct) -> bool {
        let &LargeProduct { columns, width, weight_stride, out_stride, .. } = product;
        width > 0
            && width.is_multiple_of(SLICE)
            && weight_stride.is_multiple_of(4)
            && columns.is_multiple_of(2)
            && out_stride.is_multiple_of(2)
            && 3 * columns.next_multiple_of(TILE.1) <= 4 * columns
            && [product.input, product.weight].iter().all(|address| address.is_multiple_of(16))
            && [product.out, product.addend.unwrap_or(0)].iter().all(|it| it.is_multiple_of(8))
    }

    /// Adds a product to a stream; `low` has a word for each of the weight.
    #[expect(unsafe_code, reason = "launches")]
    pub(super) fn run(
        &self,
        stream: &CudaStream,
        product: &LargeProduct,
        mut low: u64,
    ) -> Result<(), CudaError> {
        let &LargeProduct { rows, columns, width, weight_stride, mut weight, .. } = product;
        let [mut n_columns, mut n_inner, mut stride] =
            [columns, width, weight_stride].map(|number| number as u32);
        let splitters = (n_columns * n_inner).div_ceil(SPLITTERS);
        let mut job = Job {
            input: product.input,
            weight,
            low,
            addend: product.addend.unwrap_or(0),
            bias: product.bias.unwrap_or(0),
            out: product.out,
            rows: rows as u32,
            columns: n_columns,
            width: n_inner,
            weight_stride: stride,
            out_stride: product.out_stride as u32,
            relu: product.relu.into(),
        };
        let tiles = rows.div_ceil(TILE.0) * columns.div_ceil(TILE.1);
        // SAFETY: the addresses are those of blocks that are large enough, as the tape checks and
        // the caller promises; parameters are read before a launch returns.
        unsafe {
            result::launch_kernel(
                self.low.cu_function(),
                (splitters, 1, 1),
                (SPLITTERS, 1, 1),
                0,
                stream.cu_stream(),
                &mut [
                    (&raw mut weight).cast(),
                    (&raw mut stride).cast(),
                    (&raw mut n_columns).cast(),
                    (&raw mut n_inner).cast(),
                    (&raw mut low).cast(),
                ],
            )?;
            result::launch_kernel(
                self.product.cu_function(),
                (tiles as u32, 1, 1),
                (THREADS, 1, 1),
                SHARED_BYTES,
                stream.cu_stream(),
                &mut [(&raw mut job).cast()],
            )?;
        }
        Ok(())
    }
}
