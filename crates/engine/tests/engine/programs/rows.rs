//! Operators that move rows and columns about.

use super::Program;

pub fn programs() -> Vec<Program> {
    vec![
        Program::new("Columns", "sum of two blocks", |stage| {
            let (n, columns) = (stage.size.n_nodes, stage.size.columns);
            let x = stage.parameter(n, 2 * columns + 1);
            stage.tape.sum_of_columns(x, &[0, columns + 1], columns)
        }),
        Program::new("Columns", "blocks that overlap", |stage| {
            let (n, columns) = (stage.size.n_nodes, stage.size.columns);
            let x = stage.parameter(n, columns + 1);
            stage.tape.sum_of_columns(x, &[1, 0], columns)
        }),
        Program::new("Columns", "one block", |stage| {
            let (n, columns) = (stage.size.n_nodes, stage.size.columns);
            let x = stage.parameter(n, columns + 3);
            stage.tape.columns_of(x, 2, columns)
        }),
        Program::new("Columns", "rows of a column", |stage| {
            let x = stage.parameter(stage.size.n_nodes + 3, 1);
            stage.tape.rows_of(x, 2, stage.size.n_nodes)
        }),
        Program::new("Columns", "all rows of a column", |stage| {
            let x = stage.parameter(stage.size.n_nodes, 1);
            stage.tape.rows_of(x, 0, stage.size.n_nodes)
        }),
        Program::new("GatherRows", "", |stage| {
            let (n, columns) = (stage.size.n_nodes, stage.size.columns);
            let x = stage.parameter(n, columns);
            let indices = stage.indices(n + n / 2, n);
            stage.tape.gather_rows(x, &indices)
        }),
        Program::new("ChooseRows", "", |stage| {
            let (n, columns) = (stage.size.n_nodes, stage.size.columns);
            let (a, b) = (stage.parameter(n, columns), stage.parameter(n, columns));
            let from_b = stage.indices(n, 3);
            stage.tape.choose_rows(a, b, &from_b)
        }),
        Program::new("Stack", "", |stage| {
            let (n, columns) = (stage.size.n_nodes, stage.size.columns);
            let (a, b) = (stage.parameter(n, columns), stage.parameter(2 * n, columns));
            let constant = stage.constant(1, columns);
            stage.tape.stack(&[a, b, constant, a])
        }),
        Program::new("Join", "with one that repeats", |stage| {
            let (n, columns, width) = (stage.size.n_nodes, stage.size.columns, stage.size.width);
            let (a, b) = (stage.parameter(3 * n, columns), stage.parameter(n, width));
            let constant = stage.constant(1, columns);
            stage.tape.join(&[a, b, constant, a])
        }),
        Program::new("TransposedProduct", "", |stage| {
            let (n, columns, width) = (stage.size.n_nodes, stage.size.columns, stage.size.width);
            let (a, b) = (stage.parameter(n, columns), stage.parameter(n, width));
            stage.tape.transposed_product(a, b)
        }),
    ]
}
