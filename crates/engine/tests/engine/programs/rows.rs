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
        Program::new("Stack", "", |stage| {
            let (n, columns) = (stage.size.n_nodes, stage.size.columns);
            let (a, b) = (stage.parameter(n, columns), stage.parameter(2 * n, columns));
            let constant = stage.constant(1, columns);
            stage.tape.stack(&[a, b, constant, a])
        }),
        Program::new("Stack", "of some rows", |stage| {
            let (n, columns) = (stage.size.n_nodes, stage.size.columns);
            let (a, b) = (stage.parameter(n, columns), stage.parameter(n, columns));
            let constant = stage.constant(2, columns);
            let half = n / 2;
            stage.tape.stack_rows([(a, half..n), (constant, 1..2), (b, 0..half), (a, 0..n)])
        }),
        Program::new("Stack", "of columns as rows", |stage| {
            let columns = stage.size.columns;
            let (a, b) = (stage.parameter(columns, 1), stage.parameter(columns, 1));
            let constant = stage.constant(columns, 1);
            stage.tape.rows_from_columns(&[a, constant, b, a])
        }),
        Program::new("Join", "", |stage| {
            let (n, columns, width) = (stage.size.n_nodes, stage.size.columns, stage.size.width);
            let (a, b) = (stage.parameter(n, columns), stage.parameter(n, width));
            let constant = stage.constant(n, columns);
            stage.tape.join(&[a, b, constant, a])
        }),
        Program::new("TransposedProduct", "", |stage| {
            let (n, columns, width) = (stage.size.n_nodes, stage.size.columns, stage.size.width);
            let (a, b) = (stage.parameter(n, columns), stage.parameter(n, width));
            stage.tape.transposed_product(a, b)
        }),
    ]
}
