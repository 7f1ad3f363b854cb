//! Thousands of interleaved calls against a simulated server, over a wire that cuts anywhere.

use std::collections::BTreeMap;

use super::peer::{REQUEST, fields};
use super::server::{Server, Story};
use crate::wire::{Blocked, Config, Connection, ErrorCode, Event, HeadId, StreamKey};

struct Call {
    key: StreamKey,
    body: Vec<u8>,
    sent: usize,
    ended: bool,
    /// A send stopped short and `take_writable` has not named it since.
    stopped: bool,
}

/// The caller's side.
struct Client {
    random: fastrand::Rng,
    connection: Connection,
    head: HeadId,
    calls: BTreeMap<u32, Call>,
    stories: BTreeMap<u32, Story>,
    next: u32,
    limit: u32,
    body_max: usize,
}

impl Client {
    fn open(&mut self) {
        let (random, tag) = (&mut self.random, self.next);
        let body = vec![tag.to_le_bytes()[0]; random.usize(..self.body_max) * random.usize(..2)];
        let at_once = body.is_empty() && random.bool();
        let text = tag.to_string();
        let slots = self.connection.free_slots();
        match self.connection.open(self.head, [(&b"x-tag"[..], text.as_bytes())], tag, at_once) {
            Ok(key) => {
                assert!(slots > 0);
                self.calls.insert(tag, Call { key, body, sent: 0, ended: at_once, stopped: false });
                self.stories.insert(tag, Story::default());
                self.next += 1;
            }
            Err(Blocked::StreamLimit) => assert!(slots == 0 && !self.connection.closing()),
            Err(Blocked::Closing) => self.limit = self.next,
        }
    }

    /// Sends a piece of some call's request.
    fn send(&mut self) {
        let waiting: Vec<u32> =
            self.calls.iter().filter(|(_, call)| !call.ended && !call.stopped).map(|(tag, _)| *tag).collect();
        if waiting.is_empty() {
            return;
        }
        let call = self.calls.get_mut(&waiting[self.random.usize(..waiting.len())]).unwrap();
        let left = call.body.len() - call.sent;
        let piece = if self.random.bool() { left } else { self.random.usize(..=left) };
        let end = piece == left;
        let taken = self.connection.send(call.key, &call.body[call.sent..call.sent + piece], end);
        call.sent += taken;
        call.stopped = taken < piece;
        call.ended = end && !call.stopped;
    }

    fn cancel(&mut self) {
        let Some(&tag) = self.calls.keys().next() else { return };
        let call = self.calls.remove(&tag).unwrap();
        self.connection.reset(call.key, ErrorCode::CANCEL);
        self.stories.get_mut(&tag).unwrap().end = Some("cancelled".to_owned());
    }

    fn receive(&mut self, bytes: &[u8]) {
        let (stories, calls) = (&mut self.stories, &mut self.calls);
        let outcome = self.connection.receive(bytes, &mut |event| tell(stories, calls, event));
        assert_eq!(outcome, Ok(()));
        self.hear();
    }

    fn hear(&mut self) {
        while let Some(tag) = self.connection.take_writable() {
            // A call whose answer is complete may have dropped its request.
            if let Some(call) = self.calls.get_mut(&tag) {
                assert!(std::mem::take(&mut call.stopped), "named without having stopped");
            }
        }
    }
}

/// The story of a call that has not ended.
fn unfinished(stories: &mut BTreeMap<u32, Story>, tag: u32) -> &mut Story {
    let story = stories.get_mut(&tag).unwrap();
    assert_eq!(story.end, None, "an event of call {tag} after its end");
    story
}

/// Writes an event into the story of its call.
fn tell(stories: &mut BTreeMap<u32, Story>, calls: &mut BTreeMap<u32, Call>, event: Event<'_>) {
    let ended = match event {
        Event::Settings | Event::GoAway { .. } => None,
        Event::Pong { .. } => panic!("nobody pinged"),
        Event::Header { tag, name, value } => {
            unfinished(stories, tag).fields.push((name.to_vec(), value.to_vec()));
            None
        }
        Event::Head { tag, status, end } => {
            unfinished(stories, tag).status = Some(status);
            end.then(|| (tag, "end".to_owned()))
        }
        Event::Data { tag, bytes, end } => {
            unfinished(stories, tag).data.extend_from_slice(bytes);
            end.then(|| (tag, "end".to_owned()))
        }
        Event::Trailers { tag } => Some((tag, "end".to_owned())),
        Event::Reset { tag, code, by_peer, reason } => {
            assert!(by_peer, "{reason}");
            // The request went on after a complete answer, and the server has no more use for it.
            if stories[&tag].end.is_some() {
                assert_eq!(code, ErrorCode::NO_ERROR);
                calls.remove(&tag);
                return;
            }
            Some((tag, format!("reset {}", code.0)))
        }
        Event::Unprocessed { tag } => Some((tag, "unprocessed".to_owned())),
    };
    if let Some((tag, end)) = ended {
        let open = end == "end" && !calls[&tag].ended;
        unfinished(stories, tag).end = Some(end);
        if !open {
            calls.remove(&tag);
        }
    }
}

struct Scenario {
    config: Config,
    /// The server's settings, one after the other while the run goes on; the last must let it end.
    settings: &'static [&'static [(u16, u32)]],
    calls: u32,
    body_max: usize,
    goes_away: bool,
}

/// Runs a scenario to its end and compares what both sides saw.
fn run(scenario: &Scenario, seed: u64) -> (Server, Connection) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut connection = Connection::new(scenario.config);
    let head = connection.prepare(fields(&REQUEST));
    let mut client = Client {
        random: random.fork(),
        connection,
        head,
        calls: BTreeMap::new(),
        stories: BTreeMap::new(),
        next: 0,
        limit: scenario.calls,
        body_max: scenario.body_max,
    };
    let mut server = Server::new(random.u64(..), scenario.settings[0]);
    let mut changes = scenario.settings[1..].iter();
    let step = scenario.calls / u32::try_from(scenario.settings.len()).unwrap();
    let mut next_change = step;
    let (mut since_progress, mut gone) = (0, false);
    while client.next < client.limit || !client.calls.is_empty() || !server.idle() {
        let before = (client.next, client.calls.len(), server.stories.len());
        for _ in 0..random.u8(..4) {
            if client.next < client.limit && client.calls.len() < 120 {
                client.open();
            }
            client.send();
        }
        if random.u16(..400) == 0 {
            client.cancel();
        }
        let written = random.usize(..=client.connection.output().len());
        server.take(&client.connection.output()[..written]);
        client.connection.wrote(written);
        client.hear();
        for _ in 0..random.u8(..12) {
            server.act();
        }
        // The next settings come when enough calls were made, or when the present ones let none be made.
        if client.next >= next_change || since_progress > 2_000 {
            next_change += step;
            since_progress = 0;
            if let Some(settings) = changes.next() {
                server.change(settings);
            }
        }
        if scenario.goes_away && !gone && client.next >= scenario.calls / 2 {
            gone = true;
            server.go();
        }
        let read = random.usize(..=server.output.len());
        let bytes: Vec<u8> = server.output.drain(..read).collect();
        client.receive(&bytes);
        let after = (client.next, client.calls.len(), server.stories.len());
        since_progress = if before == after { since_progress + 1 } else { 0 };
        assert!(since_progress < 20_000, "no progress, seed {seed}");
    }
    let rest = client.connection.output().len();
    server.take(client.connection.output());
    client.connection.wrote(rest);
    for (tag, story) in &client.stories {
        let expected = &server.stories[tag];
        if story.end.as_deref() == Some("cancelled") {
            assert!(expected.data.starts_with(&story.data), "seed {seed}, call {tag}");
        } else {
            assert_eq!(story, expected, "seed {seed}, call {tag}");
        }
    }
    assert_eq!(client.connection.active(), 0, "seed {seed}");
    assert_eq!(client.connection.window.room(), usize::try_from(server.receive).unwrap(), "seed {seed}");
    (server, client.connection)
}

fn run_all(scenario: &Scenario) {
    for seed in 0..3 {
        run(scenario, seed);
    }
}

const ROOMY: &[(u16, u32)] = &[(3, 100), (4, 65_535), (1, 4_096)];

#[test]
fn a_server_of_the_usual_kind() {
    run_all(&Scenario { config: Config::default(), settings: &[ROOMY], calls: 800, body_max: 1_000, goes_away: false });
}

#[test]
fn small_windows_on_both_sides() {
    let config = Config { stream_window: 100, connection_window: 65_535, header_table_size: 200, ..Config::default() };
    run_all(&Scenario { config, settings: &[&[(4, 50), (3, 30)]], calls: 300, body_max: 3_000, goes_away: false });
}

#[test]
fn the_limit_of_streams_changes() {
    let settings: &[&[(u16, u32)]] = &[&[(3, 100)], &[(3, 1)], &[(3, 0)], &[(3, 100)], &[(3, 7)]];
    for seed in 0..3 {
        let scenario = Scenario { config: Config::default(), settings, calls: 400, body_max: 300, goes_away: false };
        let (server, _) = run(&scenario, seed);
        assert!((20..=120).contains(&server.most_at_once), "{}", server.most_at_once);
    }
}

#[test]
fn windows_change_from_nothing_to_something_and_back() {
    let settings: &[&[(u16, u32)]] = &[
        &[(4, 0), (3, 50)],
        &[(4, 10)],
        &[(4, 100_000)],
        &[(4, 0)],
        &[(4, 5), (4, 0), (4, 70_000)],
        &[(4, 1)],
        &[(4, 65_535)],
    ];
    run_all(&Scenario { config: Config::default(), settings, calls: 500, body_max: 20_000, goes_away: false });
}

#[test]
fn header_tables_and_frame_sizes_change() {
    let settings: &[&[(u16, u32)]] = &[
        &[(1, 0), (3, 40)],
        &[(1, 150)],
        &[(1, 4_096), (5, 20_000)],
        &[(1, 0), (1, 300)],
        &[(1, 10), (1, 0), (5, 16_384)],
        &[(1, 100_000), (5, 1 << 20)],
    ];
    let config = Config { header_table_size: 300, max_frame_size: 20_000, ..Config::default() };
    run_all(&Scenario { config, settings, calls: 250, body_max: 60_000, goes_away: false });
}

#[test]
fn the_server_goes_away_in_mid_run() {
    for seed in 0..8 {
        let scenario =
            Scenario { config: Config::default(), settings: &[ROOMY], calls: 200, body_max: 2_000, goes_away: true };
        let (server, connection) = run(&scenario, seed);
        assert_eq!(connection.counters().goaways_in.total(), 2);
        assert!(connection.closing() && server.stories.len() < 200);
    }
}
