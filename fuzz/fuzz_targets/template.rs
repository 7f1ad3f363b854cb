//! Templates in data and in metadata: parsed, and rendered for a few calls, each of which gets the same twice.

#![no_main]

use grpcbench::payload::{Call, CallSource, Metadata, Reading, Room};
use grpcbench_fuzz::{put, shown};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let reading = Reading { seed: 7, run_name: Some("fuzz".to_owned()), ..Reading::default() };
    match CallSource::from_json(Some(text), "--data", put(), &reading) {
        Ok(source) => data(&source),
        Err(problems) => shown(&problems),
    }
    if let Err(problems) = Metadata::from_json(text, "--metadata", put(), &reading) {
        shown(&problems);
    }
});

fn data(source: &CallSource) {
    let (mut room, mut again) = (Room::new(), Room::new());
    for index in 0..3 {
        let call = Call::new(index, 0, 0);
        let outcome = source.render(&call, &mut room);
        if source.reads_clock() {
            continue;
        }
        assert_eq!(source.render(&Call::new(index, 0, 0), &mut again), outcome);
        if outcome.is_ok() {
            assert!(source.call(index, &room).iter().eq(source.call(index, &again).iter()));
        }
    }
}
