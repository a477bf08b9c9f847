// Call paths through traits, closures and threads: `= path SHARE FUNCTION ...`.
use std::hint::black_box;

#[inline(never)]
fn deep_step(sink: &mut u64) {
    for i in 0..50000 {
        *sink = black_box(*sink + i);
    }
}

trait Worker {
    fn work(&self, depth: u32, sink: &mut u64);
}

struct Deep;

impl Worker for Deep {
    #[inline(never)]
    fn work(&self, depth: u32, sink: &mut u64) {
        if depth > 0 {
            black_box(self as &dyn Worker).work(depth - 1, sink);
        } else {
            for _ in 0..6000 {
                deep_step(sink);
            }
        }
        *sink = black_box(*sink + 1);
    }
}

#[inline(never)]
fn in_thread() -> u64 {
    let mut sink = 0;
    Deep.work(1, &mut sink);
    black_box(sink)
}

fn main() {
    let mut sink = 0;
    black_box(&Deep as &dyn Worker).work(2, &mut sink);
    std::thread::spawn(in_thread).join().unwrap();
    println!("= path 50 main paths::main *work *work *work paths::deep_step");
    println!("= path 50 paths::in_thread *work *work paths::deep_step");
}
