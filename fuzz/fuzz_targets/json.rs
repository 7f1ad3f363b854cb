//! Data for a message with a field of every kind: what is taken is a message, by the rules that encoded data has to keep.

#![no_main]

use grpcbench::payload::{BinaryForm, CallSource, Reading, Room, Templating};
use grpcbench_fuzz::{put, shown};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // Any text can be told from JSON before the method is known, and is not refused there if it is taken later.
    let reading = Reading { templating: Templating::Off, ..Reading::default() };
    let checked = CallSource::check_text(text, "--data", &reading);
    for allow_unknown_fields in [false, true] {
        let reading = Reading { allow_unknown_fields, ..reading.clone() };
        match CallSource::from_json(Some(text), "--data", put(), &reading) {
            Ok(source) => {
                assert!(checked.is_ok());
                encoded(&source);
            }
            Err(problems) => shown(&problems),
        }
    }
});

fn encoded(source: &CallSource) {
    let room = Room::new();
    for framed in source.call(0, &room).iter() {
        let message = &framed[5..];
        if let Err(problems) = CallSource::from_binary(message, "binary", put(), BinaryForm::Single, false) {
            shown(&problems);
            panic!("what JSON was made into is no message: {message:02x?}");
        }
    }
}
