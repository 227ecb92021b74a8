//! The device that defines the answers: double precision, one plain loop after another.
//!
//! Nothing here is fast and nothing is clever, so that each operator can be checked by reading it.
//! The faster devices are compared with it. The functions in the files below work on slices, and
//! every gradient function adds to its gradient; that a gradient is written rather than added to
//! is settled here, once, by filling it with zeros first.

mod batch_norm;
#[cfg(test)]
mod close;
mod edge_dot;
mod elementwise;
mod gather_max;
mod gru;
mod layer_norm;
mod layout;
mod linear;
mod linear_max;
mod log_softmax;
mod losses;
mod messages;
mod optimiser;
mod segments;
#[cfg(test)]
mod slopes;

use std::ops::Range;

use crate::buffer::{Buffer, Indices};
use crate::device::{
    Activation, AdamStep, Addend, BatchNormState, Binary, Device, Gradient, GruGradients,
    GruWeights, Loss, MessageTerms, Part, PartShape, Reduction, Unary,
};
use crate::graph::{Edges, Segments};

/// The reference device; see the [module](self).
#[derive(Debug, Clone, Copy, Default)]
pub struct Reference;

/// The values of a gradient to add to: zeros, unless something is there already.
fn sum_into(gradient: Gradient<'_>) -> &mut [f64] {
    let values = gradient.buffer.double_mut();
    if !gradient.add {
        values.fill(0.0);
    }
    values
}

/// Indices made to hold `len`, none of them set.
fn resized(indices: &mut Indices, len: usize) -> &mut [u32] {
    indices.0.clear();
    indices.0.resize(len, u32::MAX);
    &mut indices.0
}

impl Device for Reference {
    fn name(&self) -> String {
        "reference".to_owned()
    }

    fn zeros(&self, len: usize) -> Buffer {
        Buffer::Double(vec![0.0; len])
    }

    fn write(&self, values: &[f32], to: &mut Buffer) {
        for (to, &value) in to.double_mut().iter_mut().zip(values) {
            *to = f64::from(value);
        }
    }

    fn read(&self, from: &Buffer, to: &mut [f32]) {
        for (to, &value) in to.iter_mut().zip(from.double()) {
            *to = value as f32;
        }
    }

    fn values(&self, from: &Buffer) -> Vec<f64> {
        from.double().to_vec()
    }

    fn fill(&self, to: &mut Buffer, value: f32) {
        to.double_mut().fill(f64::from(value));
    }

    fn copy(&self, from: &Buffer, to: Gradient<'_>) {
        elementwise::scale(from.double(), 1.0, sum_into(to));
    }

    fn transpose(&self, from: &Buffer, rows: usize, columns: usize, to: &mut Buffer) {
        linear::transpose(from.double(), rows, columns, to.double_mut());
    }

    fn linear(
        &self,
        parts: &[Part<'_>],
        bias: Option<&Buffer>,
        addend: Option<Addend<'_>>,
        activation: Activation,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
    ) {
        linear::linear(
            parts,
            bias.map(Buffer::double),
            addend,
            activation,
            rows,
            columns,
            out.double_mut(),
        );
    }

    fn linear_gradient(
        &self,
        dy: &Buffer,
        x: &Buffer,
        weight: &Buffer,
        shape: PartShape,
        dx: Option<Gradient<'_>>,
        dw: Option<Gradient<'_>>,
    ) {
        if let Some(dx) = dx {
            linear::input_gradient(dy.double(), weight.double(), shape, sum_into(dx));
        }
        if let Some(dw) = dw {
            linear::weight_gradient(dy.double(), x.double(), shape, sum_into(dw));
        }
    }

    fn column_sums(
        &self,
        x: &Buffer,
        factors: Option<&Buffer>,
        rows: usize,
        columns: usize,
        out: Gradient<'_>,
    ) {
        linear::column_sums(x.double(), factors.map(Buffer::double), rows, columns, sum_into(out));
    }

    fn relu_gradient(&self, y: &Buffer, dy: &mut Buffer) {
        linear::relu_gradient(y.double(), dy.double_mut());
    }

    fn columns(
        &self,
        x: &Buffer,
        rows: usize,
        columns: usize,
        starts: &[usize],
        width: usize,
        out: &mut Buffer,
    ) {
        layout::columns(x.double(), rows, columns, starts, width, out.double_mut());
    }

    fn columns_gradient(
        &self,
        dy: &Buffer,
        rows: usize,
        columns: usize,
        starts: &[usize],
        width: usize,
        dx: &mut Buffer,
    ) {
        layout::columns_gradient(dy.double(), rows, columns, starts, width, dx.double_mut());
    }

    fn messages(
        &self,
        edges: &Edges,
        rows: Range<usize>,
        terms: &MessageTerms<'_>,
        columns: usize,
        out: &mut Buffer,
    ) {
        messages::messages(edges, rows, terms, columns, out.double_mut());
    }

    fn messages_source_gradient(
        &self,
        edges: &Edges,
        dy: &Buffer,
        columns: usize,
        dx: Gradient<'_>,
    ) {
        messages::source_gradient(edges, dy.double(), columns, sum_into(dx));
    }

    fn segment_reduce(
        &self,
        reduction: Reduction,
        x: &Buffer,
        segments: &Segments,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
        origin: Option<&mut Indices>,
    ) {
        let origin = origin.map(|origin| resized(origin, out.len()));
        segments::segment_reduce(
            reduction,
            x.double(),
            segments,
            rows,
            columns,
            out.double_mut(),
            origin,
        );
    }

    fn segment_reduce_gradient(
        &self,
        reduction: Reduction,
        dy: &Buffer,
        segments: &Segments,
        rows: usize,
        columns: usize,
        origin: Option<&Indices>,
        dx: Gradient<'_>,
    ) {
        segments::segment_reduce_gradient(
            reduction,
            dy.double(),
            segments,
            rows,
            columns,
            origin.map(Indices::host),
            sum_into(dx),
        );
    }

    fn linear_max_input_gradient(
        &self,
        _edges: &Edges,
        dy: &Buffer,
        origin: &Indices,
        weight: &Buffer,
        columns: usize,
        width: usize,
        dx: Gradient<'_>,
    ) {
        let shape = (columns, width);
        linear_max::input_gradient(dy.double(), &origin.0, weight.double(), shape, sum_into(dx));
    }

    fn linear_max_weight_gradient(
        &self,
        dy: &Buffer,
        origin: &Indices,
        x: &Buffer,
        columns: usize,
        width: usize,
        dw: Gradient<'_>,
    ) {
        let shape = (columns, width);
        linear_max::weight_gradient(dy.double(), &origin.0, x.double(), shape, sum_into(dw));
    }

    fn gather_max(
        &self,
        edges: &Edges,
        terms: &MessageTerms<'_>,
        columns: usize,
        out: &mut Buffer,
        origin: &mut Indices,
    ) {
        let origin = resized(origin, out.len());
        gather_max::gather_max(edges, terms, columns, out.double_mut(), origin);
    }

    fn gather_max_source_gradient(
        &self,
        edges: &Edges,
        dy: &Buffer,
        columns: usize,
        origin: &Indices,
        dx: Gradient<'_>,
    ) {
        gather_max::source_gradient(edges, dy.double(), columns, origin.host(), sum_into(dx));
    }

    fn gather_max_scale_gradient(
        &self,
        dy: &Buffer,
        weights: &Buffer,
        rows: usize,
        columns: usize,
        origin: &Indices,
        out: Gradient<'_>,
    ) {
        gather_max::scale_gradient(
            dy.double(),
            weights.double(),
            rows,
            columns,
            origin.host(),
            sum_into(out),
        );
    }

    fn gather_rows(&self, x: &Buffer, indices: &Indices, columns: usize, out: &mut Buffer) {
        layout::gather_rows(x.double(), indices.host(), columns, out.double_mut());
    }

    fn gather_rows_gradient(
        &self,
        dy: &Buffer,
        indices: &Indices,
        columns: usize,
        dx: Gradient<'_>,
    ) {
        layout::gather_rows_gradient(dy.double(), indices.host(), columns, sum_into(dx));
    }

    fn place(&self, from: &Buffer, range: Range<usize>, to: &mut Buffer, at: usize) {
        layout::place(from.double(), range, to.double_mut(), at);
    }

    fn place_added(&self, from: &Buffer, range: Range<usize>, to: &mut Buffer, at: usize) {
        layout::place_added(from.double(), range, to.double_mut(), at);
    }

    fn place_columns(
        &self,
        x: &Buffer,
        width: usize,
        start: usize,
        stride: usize,
        out: &mut Buffer,
    ) {
        layout::place_columns(x.double(), width, start, stride, out.double_mut());
    }

    fn place_columns_gradient(
        &self,
        dy: &Buffer,
        width: usize,
        start: usize,
        stride: usize,
        dx: Gradient<'_>,
    ) {
        layout::place_columns_gradient(dy.double(), width, start, stride, sum_into(dx));
    }

    fn log_softmax(&self, x: &Buffer, segments: &Segments, columns: usize, out: &mut Buffer) {
        log_softmax::log_softmax(x.double(), segments, columns, out.double_mut());
    }

    fn log_softmax_gradient(
        &self,
        y: &Buffer,
        dy: &Buffer,
        segments: &Segments,
        columns: usize,
        dx: Gradient<'_>,
    ) {
        log_softmax::log_softmax_gradient(y.double(), dy.double(), segments, columns, sum_into(dx));
    }

    fn edge_dot(
        &self,
        edges: &Edges,
        source: &Buffer,
        target: &Buffer,
        columns: usize,
        out: &mut Buffer,
    ) {
        edge_dot::edge_dot(edges, source.double(), target.double(), columns, out.double_mut());
    }

    fn edge_dot_gradient(
        &self,
        edges: &Edges,
        dy: &Buffer,
        other: &Buffer,
        of_source: bool,
        columns: usize,
        dx: Gradient<'_>,
    ) {
        edge_dot::edge_dot_gradient(
            edges,
            dy.double(),
            other.double(),
            of_source,
            columns,
            sum_into(dx),
        );
    }

    fn layer_norm(
        &self,
        x: &Buffer,
        gain: &Buffer,
        bias: &Buffer,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
        saved: &mut Buffer,
    ) {
        layer_norm::layer_norm(
            x.double(),
            gain.double(),
            bias.double(),
            rows,
            columns,
            out.double_mut(),
            saved.double_mut(),
        );
    }

    fn layer_norm_gradient(
        &self,
        x: &Buffer,
        gain: &Buffer,
        saved: &Buffer,
        dy: &Buffer,
        rows: usize,
        columns: usize,
        dx: Option<Gradient<'_>>,
        d_gain: Gradient<'_>,
        d_bias: Gradient<'_>,
    ) {
        layer_norm::layer_norm_gradient(
            x.double(),
            gain.double(),
            saved.double(),
            dy.double(),
            rows,
            columns,
            dx.map(sum_into),
            sum_into(d_gain),
            sum_into(d_bias),
        );
    }

    fn batch_norm(
        &self,
        x: &Buffer,
        gain: &Buffer,
        bias: &Buffer,
        running: BatchNormState<'_>,
        activation: Activation,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
        saved: &mut Buffer,
    ) {
        let running = (running.mean.double_mut(), running.variance.double_mut());
        batch_norm::batch_norm(
            x.double(),
            gain.double(),
            bias.double(),
            running,
            activation,
            rows,
            columns,
            out.double_mut(),
            saved.double_mut(),
        );
    }

    fn batch_norm_running(
        &self,
        x: &Buffer,
        gain: &Buffer,
        bias: &Buffer,
        running: (&Buffer, &Buffer),
        activation: Activation,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
    ) {
        let running = (running.0.double(), running.1.double());
        batch_norm::batch_norm_running(
            x.double(),
            gain.double(),
            bias.double(),
            running,
            activation,
            rows,
            columns,
            out.double_mut(),
        );
    }

    fn batch_norm_gradient(
        &self,
        x: &Buffer,
        y: &Buffer,
        gain: &Buffer,
        saved: &Buffer,
        activation: Activation,
        dy: &Buffer,
        rows: usize,
        columns: usize,
        dx: Option<Gradient<'_>>,
        d_gain: Gradient<'_>,
        d_bias: Gradient<'_>,
    ) {
        batch_norm::batch_norm_gradient(
            x.double(),
            y.double(),
            gain.double(),
            saved.double(),
            activation,
            dy.double(),
            rows,
            columns,
            dx.map(sum_into),
            sum_into(d_gain),
            sum_into(d_bias),
        );
    }

    fn gru(
        &self,
        weights: &GruWeights<'_>,
        rows: Range<usize>,
        columns: usize,
        out: &mut Buffer,
        saved: &mut Buffer,
    ) {
        gru::gru(weights, rows, columns, out.double_mut(), saved.double_mut());
    }

    fn gru_gradient(
        &self,
        weights: &GruWeights<'_>,
        saved: &Buffer,
        dy: &Buffer,
        rows: usize,
        columns: usize,
        _work: &mut Buffer,
        to: GruGradients<'_>,
    ) {
        gru::gru_gradient(weights, saved.double(), dy.double(), rows, columns, to);
    }

    fn unary(&self, function: Unary, x: &Buffer, out: &mut Buffer) {
        elementwise::unary(function, x.double(), out.double_mut());
    }

    fn unary_gradient(&self, function: Unary, y: &Buffer, dy: &Buffer, dx: Gradient<'_>) {
        elementwise::unary_gradient(function, y.double(), dy.double(), sum_into(dx));
    }

    fn binary(&self, function: Binary, a: &Buffer, b: &Buffer, out: &mut Buffer) {
        elementwise::binary(function, a.double(), b.double(), out.double_mut());
    }

    fn binary_gradient(
        &self,
        function: Binary,
        a: &Buffer,
        b: &Buffer,
        dy: &Buffer,
        of_a: bool,
        dx: Gradient<'_>,
    ) {
        elementwise::binary_gradient(
            function,
            a.double(),
            b.double(),
            dy.double(),
            of_a,
            sum_into(dx),
        );
    }

    fn scaled_sum(&self, scale: &Buffer, a: &Buffer, b: &Buffer, out: &mut Buffer) {
        elementwise::scaled_sum(scale.double(), a.double(), b.double(), out.double_mut());
    }

    fn scaled_sum_gradient(&self, scale: &Buffer, dy: &Buffer, da: Gradient<'_>) {
        elementwise::scale(dy.double(), 1.0 + scale.double()[0], sum_into(da));
    }

    fn dot(&self, a: &Buffer, b: &Buffer, out: Gradient<'_>) {
        elementwise::dot(a.double(), b.double(), sum_into(out));
    }

    fn add_scaled(&self, a: &Buffer, b: &Buffer, factor: f64, out: &mut Buffer) {
        elementwise::add_scaled(a.double(), b.double(), factor, out.double_mut());
    }

    fn scale(&self, from: &Buffer, factor: f64, to: Gradient<'_>) {
        elementwise::scale(from.double(), factor, sum_into(to));
    }

    fn picked(
        &self,
        log_probabilities: &Buffer,
        targets: &Indices,
        weights: &Buffer,
        out: &mut Buffer,
    ) {
        losses::picked(
            log_probabilities.double(),
            targets.host(),
            weights.double(),
            out.double_mut(),
        );
    }

    fn picked_gradient(&self, targets: &Indices, weights: &Buffer, dy: &Buffer, dx: Gradient<'_>) {
        losses::picked_gradient(targets.host(), weights.double(), dy.double(), sum_into(dx));
    }

    fn loss(&self, loss: Loss, x: &Buffer, targets: &Buffer, weights: &Buffer, out: &mut Buffer) {
        losses::loss(loss, x.double(), targets.double(), weights.double(), out.double_mut());
    }

    fn loss_gradient(
        &self,
        loss: Loss,
        x: &Buffer,
        targets: &Buffer,
        weights: &Buffer,
        dy: &Buffer,
        dx: Gradient<'_>,
    ) {
        losses::loss_gradient(
            loss,
            x.double(),
            targets.double(),
            weights.double(),
            dy.double(),
            sum_into(dx),
        );
    }

    fn mean_norm(
        &self,
        x: &Buffer,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
        saved: &mut Buffer,
    ) {
        losses::mean_norm(x.double(), rows, columns, out.double_mut(), saved.double_mut());
    }

    fn mean_norm_gradient(
        &self,
        x: &Buffer,
        saved: &Buffer,
        dy: &Buffer,
        rows: usize,
        columns: usize,
        dx: Gradient<'_>,
    ) {
        losses::mean_norm_gradient(
            x.double(),
            saved.double(),
            dy.double(),
            rows,
            columns,
            sum_into(dx),
        );
    }

    fn sum_of_squares(&self, x: &Buffer) -> f64 {
        optimiser::sum_of_squares(x.double())
    }

    fn adam(
        &self,
        step: AdamStep,
        gradient: &Buffer,
        value: &mut Buffer,
        moments: (&mut Buffer, &mut Buffer),
    ) {
        let moments = (moments.0.double_mut(), moments.1.double_mut());
        optimiser::adam(step, gradient.double(), value.double_mut(), moments);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gradient_replaces_or_adds() {
        let from = Buffer::Double(vec![1.0, 2.0]);
        let mut to = Buffer::Double(vec![f64::NAN, 7.0]);
        Reference.copy(&from, Gradient { buffer: &mut to, add: false });
        assert_eq!(Reference.values(&to), [1.0, 2.0]);
        Reference.scale(&from, 10.0, Gradient { buffer: &mut to, add: true });
        assert_eq!(Reference.values(&to), [11.0, 22.0]);
    }

    #[test]
    fn values_go_to_the_host_and_back() {
        let mut buffer = Reference.zeros(2);
        Reference.write(&[1.5, -2.0], &mut buffer);
        let mut host = [0.0; 2];
        Reference.read(&buffer, &mut host);
        assert_eq!(host, [1.5, -2.0]);
        Reference.fill(&mut buffer, 3.0);
        assert_eq!(Reference.values(&buffer), [3.0, 3.0]);
    }

    #[test]
    fn the_gradient_of_a_scaled_sum_is_scaled() {
        let (scale, dy) = (Buffer::Double(vec![0.5]), Buffer::Double(vec![2.0, 4.0]));
        let mut da = Buffer::Double(vec![9.0; 2]);
        Reference.scaled_sum_gradient(&scale, &dy, Gradient { buffer: &mut da, add: false });
        assert_eq!(Reference.values(&da), [3.0, 6.0]);
    }

    #[test]
    fn an_origin_is_made_to_fit() {
        let x = Buffer::Double(vec![1.0, 2.0, 3.0, 1.0]);
        let (mut out, mut origin) = (Reference.zeros(2), Indices::default());
        let segments = Segments::Every(2);
        let origin_of = Some(&mut origin);
        Reference.segment_reduce(Reduction::Max, &x, &segments, 4, 1, &mut out, origin_of);
        assert_eq!(origin.host(), [1, 2]);
    }
}
