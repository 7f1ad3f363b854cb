//! The phases of a call, which together are its service time.

use super::Distribution;

/// How long one call was in each of its phases but the last, in nanoseconds. What is left of its service time was spent
/// on the last one, from the first message of the answer to the end.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Phases {
    /// From its real start until it had a stream: waiting for a stream slot, or for a connection.
    pub stream_ns: u64,
    /// From there until the last byte of its request was handed to the socket, or the answer began before that.
    pub request_ns: u64,
    /// From there until the head of the answer was read.
    pub head_ns: u64,
    /// From there until the first message of the answer was complete.
    pub message_ns: u64,
}

impl Phases {
    /// From the real start of the call until the first message of its answer, if there was one.
    pub fn first_message_ns(&self) -> u64 {
        self.stream_ns + self.request_ns + self.head_ns + self.message_ns
    }
}

/// The times of each phase, of one set of calls: each has a value for each call, and all together sum up to the service
/// times.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct PhaseTimes {
    /// Waiting for a stream slot.
    pub stream: Distribution,
    /// Sending the request.
    pub request: Distribution,
    /// Waiting for the head of the answer.
    pub head: Distribution,
    /// Waiting for the first message.
    pub message: Distribution,
    /// Waiting for the end.
    pub trailers: Distribution,
}

impl PhaseTimes {
    /// All of them, in the order in which a call goes through them.
    pub fn all(&self) -> [&Distribution; 5] {
        [&self.stream, &self.request, &self.head, &self.message, &self.trailers]
    }
}

/// Takes in the phases of calls, one by one, for little.
///
/// Calls that leave in one write and come back in one read have the very same times in most of their phases, because
/// they share readings of the clock: equal values that follow each other are counted, and recorded together.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct PhaseRecorder {
    stream: Runs,
    request: Runs,
    head: Runs,
    message: Runs,
    trailers: Runs,
}

/// From what was recorded before.
impl From<PhaseTimes> for PhaseRecorder {
    fn from(times: PhaseTimes) -> PhaseRecorder {
        let PhaseTimes { stream, request, head, message, trailers } = times;
        let runs = |times| Runs { times, ..Runs::default() };
        PhaseRecorder {
            stream: runs(stream),
            request: runs(request),
            head: runs(head),
            message: runs(message),
            trailers: runs(trailers),
        }
    }
}

impl PhaseRecorder {
    /// With the memory for times, but for those of waiting for a stream slot, which few runs have.
    pub(super) fn with_room() -> PhaseRecorder {
        let times = Distribution::with_room;
        let stream = Distribution::new();
        PhaseTimes { stream, request: times(), head: times(), message: times(), trailers: times() }.into()
    }

    /// Takes in a call. Phases that are longer than it was end with it.
    pub(super) fn record(&mut self, phases: &Phases, service_ns: u64) {
        let mut left = service_ns;
        let mut part = |phase_ns: u64| {
            let part = phase_ns.min(left);
            left -= part;
            part
        };
        self.stream.record(part(phases.stream_ns));
        self.request.record(part(phases.request_ns));
        self.head.record(part(phases.head_ns));
        self.message.record(part(phases.message_ns));
        self.trailers.record(left);
    }

    pub(super) fn absorb(&mut self, other: PhaseRecorder) {
        self.stream.absorb(other.stream);
        self.request.absorb(other.request);
        self.head.absorb(other.head);
        self.message.absorb(other.message);
        self.trailers.absorb(other.trailers);
    }

    /// All that it took in.
    pub fn times(&self) -> PhaseTimes {
        PhaseTimes {
            stream: self.stream.all(),
            request: self.request.all(),
            head: self.head.all(),
            message: self.message.all(),
            trailers: self.trailers.all(),
        }
    }
}

/// Times, the last of which may stand for many.
#[derive(Clone, Default, Debug)]
struct Runs {
    times: Distribution,
    value: u64,
    /// How often the value has come and is not among the times.
    count: u64,
}

impl Runs {
    fn record(&mut self, value: u64) {
        if value != self.value {
            self.times.record_many(self.value, self.count);
            (self.value, self.count) = (value, 0);
        }
        self.count += 1;
    }

    fn absorb(&mut self, other: Runs) {
        self.times.absorb(other.times);
        self.times.record_many(other.value, other.count);
    }

    fn all(&self) -> Distribution {
        let mut times = self.times.clone();
        times.record_many(self.value, self.count);
        times
    }
}

impl PartialEq for Runs {
    fn eq(&self, other: &Runs) -> bool {
        self.all() == other.all()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Runs of equal values are the values, in any order of merging.
        #[test]
        fn runs_are_a_shorthand(one in prop::collection::vec(0u64..3, 0..40), other in prop::collection::vec(0u64..3, 0..40)) {
            let (mut whole, mut parts) = (Distribution::new(), [Runs::default(), Runs::default()]);
            for (part, values) in parts.iter_mut().zip([&one, &other]) {
                for value in values {
                    part.record(*value);
                    whole.record(*value);
                }
            }
            let [mut first, second] = parts;
            first.absorb(second);
            prop_assert_eq!(first.all(), whole);
        }

        /// Whatever is said of the phases, they are the service time.
        #[test]
        fn phases_add_up(calls in prop::collection::vec((any::<[u8; 4]>(), any::<u8>()), 1..40)) {
            let mut recorder = PhaseRecorder::default();
            let mut service_ns = 0;
            for ([stream_ns, request_ns, head_ns, message_ns], service) in &calls {
                let [stream_ns, request_ns, head_ns, message_ns] =
                    [stream_ns, request_ns, head_ns, message_ns].map(|ns| u64::from(*ns));
                recorder.record(&Phases { stream_ns, request_ns, head_ns, message_ns }, u64::from(*service));
                service_ns += u128::from(*service);
            }
            let times = recorder.times();
            prop_assert_eq!(times.all().map(Distribution::sum).iter().sum::<u128>(), service_ns);
            prop_assert!(times.all().iter().all(|phase| phase.count() == calls.len() as u64));
        }
    }

    #[test]
    fn what_is_left_belongs_to_the_end() {
        let mut recorder = PhaseRecorder::default();
        recorder.record(&Phases { stream_ns: 1, request_ns: 20, head_ns: 300, message_ns: 4_000 }, 54_321);
        assert_eq!(recorder.times().all().map(Distribution::max), [1, 20, 300, 4_000, 50_000]);
    }
}
