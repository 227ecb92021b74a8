//! Large products: by cuBLASLt.
//!
//! Launched by itself a library's product takes longer than a small one does, so those stay with
//! our own kernels. Plans are kept by shape, so one shape is always computed the same way.

use std::collections::HashMap;
use std::ffi::c_void;

use cudarc::cublaslt::{result, sys};
use cudarc::driver::CudaStream;
use cudarc::driver::result as driver;

use super::Precision;
use super::error::CudaError;

/// Bytes that a product may use for itself.
const WORKSPACE: usize = 8 << 20;

/// `out = activation(beta * addend + input · weightᵀ + bias)`, by addresses; strides in values.
#[derive(Debug, Clone, Copy)]
pub(super) struct LargeProduct {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) width: usize,
    pub(super) input: u64,
    pub(super) weight: u64,
    pub(super) weight_stride: usize,
    pub(super) addend: Option<u64>,
    pub(super) bias: Option<u64>,
    pub(super) relu: bool,
    pub(super) out: u64,
    pub(super) out_stride: usize,
}

/// What a plan depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Shape {
    rows: usize,
    columns: usize,
    width: usize,
    weight_stride: usize,
    out_stride: usize,
    bias: bool,
    relu: bool,
    /// Whether all addresses and strides are multiples of 16 bytes.
    aligned: bool,
}

/// How products of one shape are computed.
#[derive(Debug)]
struct Plan {
    product: sys::cublasLtMatmulDesc_t,
    weight: sys::cublasLtMatrixLayout_t,
    input: sys::cublasLtMatrixLayout_t,
    out: sys::cublasLtMatrixLayout_t,
    algorithm: sys::cublasLtMatmulAlgo_t,
}

/// The library, loaded.
#[derive(Debug)]
pub(super) struct Library {
    handle: sys::cublasLtHandle_t,
    precision: Precision,
    workspace: u64,
    plans: HashMap<Shape, Plan>,
}

impl Library {
    /// Loads the library.
    pub(super) fn open(precision: Precision) -> Result<Self, CudaError> {
        // SAFETY: looks for a library and loads it.
        if !unsafe { sys::is_culib_present() } {
            return Err(CudaError::NoLibrary);
        }
        let handle = result::create_handle().map_err(failed)?;
        // SAFETY: the context is current; freed once, in `drop`.
        let workspace = unsafe { driver::malloc_sync(WORKSPACE)? };
        Ok(Self { handle, precision, workspace, plans: HashMap::new() })
    }

    /// Adds a product to a stream.
    pub(super) fn run(
        &mut self,
        stream: &CudaStream,
        product: &LargeProduct,
    ) -> Result<(), CudaError> {
        let &LargeProduct { rows, columns, width, weight_stride, out_stride, relu, .. } = product;
        let addresses = [product.input, product.weight, product.out, product.addend.unwrap_or(0)];
        let aligned = addresses.iter().all(|address| address.is_multiple_of(16))
            && [width, weight_stride, out_stride].iter().all(|stride| stride.is_multiple_of(4));
        let bias = product.bias.is_some();
        let shape = Shape { rows, columns, width, weight_stride, out_stride, bias, relu, aligned };
        if !self.plans.contains_key(&shape) {
            let plan = self.plan(&shape).map_err(failed)?;
            self.plans.insert(shape, plan);
        }
        let plan = &self.plans[&shape];
        let (one, beta) = (1.0f32, if product.addend.is_some() { 1.0f32 } else { 0.0 });
        let addend = product.addend.unwrap_or(product.out);
        // SAFETY: the addresses are those of blocks that are large enough, as the tape checks; all
        // handles are alive; factors are read before the call returns.
        unsafe {
            if let Some(bias) = product.bias {
                use sys::cublasLtMatmulDescAttributes_t::CUBLASLT_MATMUL_DESC_BIAS_POINTER;
                set(plan.product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias).map_err(failed)?;
            }
            result::matmul(
                self.handle,
                plan.product,
                (&raw const one).cast(),
                (&raw const beta).cast(),
                product.weight as *const c_void,
                plan.weight,
                product.input as *const c_void,
                plan.input,
                addend as *const c_void,
                plan.out,
                product.out as *mut c_void,
                plan.out,
                &raw const plan.algorithm,
                self.workspace as *mut c_void,
                WORKSPACE,
                stream.cu_stream().cast(),
            )
            .map_err(failed)
        }
    }

    /// The library counts columns first: it computes the transposed result, weight · inputᵀ.
    fn plan(&self, shape: &Shape) -> Result<Plan, result::CublasError> {
        use sys::cublasLtEpilogue_t as Epilogue;
        use sys::cublasLtMatmulDescAttributes_t as Attribute;
        use sys::cublasLtMatmulPreferenceAttributes_t as Preference;
        let &Shape { rows, columns, width, weight_stride, out_stride, bias, relu, aligned } = shape;
        let single = sys::cudaDataType_t::CUDA_R_32F;
        let compute = match self.precision {
            Precision::Single => sys::cublasComputeType_t::CUBLAS_COMPUTE_32F,
            Precision::Tf32 => sys::cublasComputeType_t::CUBLAS_COMPUTE_32F_FAST_TF32,
            Precision::Bf16 => sys::cublasComputeType_t::CUBLAS_COMPUTE_32F_FAST_16BF,
        };
        let layout = |rows: usize, columns: usize, stride: usize| {
            result::create_matrix_layout(single, rows as u64, columns as u64, stride as i64)
        };
        let product = result::create_matmul_desc(compute, single)?;
        let weight = layout(width, columns, weight_stride)?;
        let input = layout(width, rows, width)?;
        let out = layout(columns, rows, out_stride)?;
        let epilogue = match (bias, relu) {
            (false, false) => Epilogue::CUBLASLT_EPILOGUE_DEFAULT,
            (true, false) => Epilogue::CUBLASLT_EPILOGUE_BIAS,
            (false, true) => Epilogue::CUBLASLT_EPILOGUE_RELU,
            (true, true) => Epilogue::CUBLASLT_EPILOGUE_RELU_BIAS,
        };
        // As cuBLAS counts operations.
        let transposed = 1i32;
        let alignment = if aligned { 16u32 } else { 4 };
        let preference = result::create_matmul_pref()?;
        // SAFETY: attributes are read while they are set, and each has the type that it is given.
        let found = unsafe {
            set(product, Attribute::CUBLASLT_MATMUL_DESC_TRANSA, &transposed)?;
            set(product, Attribute::CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue)?;
            for (attribute, value) in [
                (Preference::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment),
                (Preference::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment),
                (Preference::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment),
                (Preference::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment),
            ] {
                let size = size_of::<u32>();
                let value = (&raw const value).cast();
                result::set_matmul_pref_attribute(preference, attribute, value, size)?;
            }
            let workspace = (&raw const WORKSPACE_BYTES).cast();
            let attribute = Preference::CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES;
            result::set_matmul_pref_attribute(preference, attribute, workspace, 8)?;
            let found = result::get_matmul_algo_heuristic(
                self.handle,
                product,
                weight,
                input,
                out,
                out,
                preference,
            );
            result::destroy_matmul_pref(preference)?;
            found?
        };
        Ok(Plan { product, weight, input, out, algorithm: found.algo })
    }
}

static WORKSPACE_BYTES: u64 = WORKSPACE as u64;

/// # Safety
/// The attribute must have the value's type.
unsafe fn set<T>(
    product: sys::cublasLtMatmulDesc_t,
    attribute: sys::cublasLtMatmulDescAttributes_t,
    value: &T,
) -> Result<(), result::CublasError> {
    let value = std::ptr::from_ref(value);
    // SAFETY: as the caller promises.
    unsafe { result::set_matmul_desc_attribute(product, attribute, value.cast(), size_of::<T>()) }
}

fn failed(error: result::CublasError) -> CudaError {
    CudaError::Failed(format!("cuBLASLt: {error:?}"))
}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: everything was made here and is destroyed once; freeing waits for the GPU.
        unsafe {
            for plan in self.plans.values() {
                let _ = result::destroy_matmul_desc(plan.product);
                for layout in [plan.weight, plan.input, plan.out] {
                    let _ = result::destroy_matrix_layout(layout);
                }
            }
            let _ = result::destroy_handle(self.handle);
            let _ = driver::free_sync(self.workspace);
        }
    }
}
