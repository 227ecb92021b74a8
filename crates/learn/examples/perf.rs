use salsa_learn::{network::Network, run::Run, training::step::*, training::trainer::batch};
use salsa_traces::{algorithms, sample::Sampler, suite::Suite};
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let names = ["gin", "pgn", "recgnn"];
    let threads: usize = args[4].parse().unwrap();
    let text = format!(
        "algorithm=\"{}\"\nconvention=\"release\"\nhints={}\n[model]\nprocessor=\"{}\"",
        args[1],
        args[3] == "hints",
        args[2]
    );
    let run = Run::parse("x", &text, &names).unwrap().resolved();
    let suite = Suite::named("release").unwrap();
    let sampler = Sampler::new(&suite, 0, algorithms::find(&args[1]).unwrap(), "train").unwrap();
    let mut network = Network::new(&run, threads).unwrap();
    let t = Instant::now();
    let batches: Vec<_> =
        (0..16).map(|b| batch(&sampler, b * 8..b * 8 + 8, run.hints).unwrap()).collect();
    println!("batch {:.3} ms", t.elapsed().as_secs_f64() * 1e3 / 16.0);
    let options = StepOptions::new(&run);
    let mut number = 0;
    let mut times = vec![];
    let begin = Instant::now();
    let mut flops = 0;
    while begin.elapsed().as_secs_f64() < 4.0 {
        for b in &batches {
            number += 1;
            let f = network.tape.device().product_operations();
            let t = Instant::now();
            step(&mut network, b, &options, number).unwrap();
            times.push(t.elapsed().as_secs_f64() * 1e3);
            flops += network.tape.device().product_operations() - f;
        }
    }
    let total: f64 = times.iter().sum();
    times.sort_by(f64::total_cmp);
    println!(
        "{} {} {} {}t median {:.3} ms mean {:.3}  {:.1} MFLOP {:.1} GFLOP/s allocations {}",
        args[1],
        args[2],
        args[3],
        threads,
        times[times.len() / 2],
        total / times.len() as f64,
        flops as f64 / times.len() as f64 / 1e6,
        flops as f64 / total / 1e6,
        network.tape.allocations()
    );
}
