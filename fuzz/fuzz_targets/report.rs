//! A JSON report: what is read can be written again in every format, and its document reads as the same.

#![no_main]

use grpcbench::export::{Format, read};
use grpcbench::report::Report;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|document: &[u8]| {
    let run = match read(document) {
        Ok(run) => run,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let report = Report::of(&run.recording, run.setup);
    for format in Format::ALL {
        let mut text = Vec::new();
        format.write(&report, &mut text).expect("memory takes everything");
        if format == Format::Json {
            let again = read(&text).unwrap_or_else(|error| panic!("{error} in what was written"));
            let mut same = Vec::new();
            format.write(&Report::of(&again.recording, again.setup), &mut same).expect("memory takes everything");
            assert!(text == same, "a document that is read and written is the same");
        }
    }
});
