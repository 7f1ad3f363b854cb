//! A connection that comes back: one [`Session`] after the other to the same target.
//!
//! When a session is lost or sent away, the next one is begun at once, and after failures with a growing pause. Calls
//! wait while a connect is under way and fail when it fails, so that a dead server costs one failure for each caller
//! and attempt, and never a hot loop.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::task::{Poll, Waker};
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout_at};
use tonic::Code;

use super::calls::Ending;
use super::form::Form;
use super::handshake::{Established, establish};
use super::route::Route;
use super::session::{Attempt, ClientCall, Reply, Session, Shared};
use super::status;
use crate::error::ConnectError;
use crate::record::Connected;
use crate::units::Offset;

/// The pause after a first failed connect; it doubles with each further one.
const PAUSE_MIN: Duration = Duration::from_millis(20);
/// The longest pause: a server that is back is found within half a second.
const PAUSE_MAX: Duration = Duration::from_millis(500);

/// A connection to a target. Clones share it. Must be used within the `LocalRuntime` that it was opened in.
#[derive(Clone, Debug)]
pub struct Connection {
    link: Rc<Link>,
}

#[derive(Debug)]
struct Link {
    route: Route,
    /// How it first came up.
    connected: Connected,
    shared: Rc<Shared>,
    state: RefCell<State>,
    /// Sessions whose task has not ended: the current one, and those that drain.
    sessions: RefCell<Vec<Session>>,
    pause: Cell<Duration>,
    /// Connects that have failed since the link exists.
    failed_connects: Cell<u64>,
    abandoned: Cell<bool>,
}

#[derive(Debug)]
enum State {
    Up(Session),
    Down { waiting: Vec<Waker>, last_failure: String },
}

impl Connection {
    /// Connects. Errors when the target cannot be reached, does not agree to talk, or takes no heads as long as those of
    /// the route.
    pub async fn open(route: Route, shared: Rc<Shared>) -> Result<Connection, ConnectError> {
        let established = establish(&route).await?;
        // Later ones are left to the server: a run that has begun goes on.
        route.check_head(established.wire.peer().max_header_list_size, &established.connected.address)?;
        Ok(Connection::on(route, shared, established))
    }

    /// Connects to the server at the other end of a pipe. Lost, it does not come back.
    #[cfg(test)]
    pub(crate) async fn in_memory(
        route: Route,
        shared: Rc<Shared>,
        pipe: tokio::io::DuplexStream,
    ) -> Result<Connection, ConnectError> {
        let established = super::handshake::establish_in_memory(pipe, &route).await?;
        Ok(Connection::on(route, shared, established))
    }

    fn on(route: Route, shared: Rc<Shared>, established: Established) -> Connection {
        let link = Rc::new(Link {
            route,
            connected: established.connected.clone(),
            shared,
            state: RefCell::new(State::Down { waiting: Vec::new(), last_failure: String::new() }),
            sessions: RefCell::default(),
            pause: Cell::new(Duration::ZERO),
            failed_connects: Cell::new(0),
            abandoned: Cell::new(false),
        });
        link.take_up(established);
        Connection { link }
    }

    /// How it first came up. Nothing is said of calls.
    pub fn connected(&self) -> &Connected {
        &self.link.connected
    }

    /// Puts what was counted on it into what the worker shares, for what came before has been put there already.
    pub fn account(&self) {
        self.link.sessions.borrow().iter().for_each(Session::account);
    }

    /// Makes a call with one message each way, begun at `sent`. `framed` is the message with its gRPC prefix,
    /// `fields` is metadata that only this call has; what a failed call says goes to `failure`, which is empty after a
    /// call that ended OK.
    ///
    /// A call that the server says it did not process is sent once more, as gRPC allows.
    pub fn unary<'f>(
        &self,
        framed: &[u8],
        fields: &(impl IntoIterator<Item = (&'f [u8], &'f [u8])> + Clone),
        sent: Instant,
        failure: &mut String,
    ) -> impl Future<Output = Reply> {
        // An error is the end of the call, which is waited for in any case.
        let script = async move |call: &ClientCall| {
            let _over = call.send(framed, true).await;
        };
        self.call(None, fields, sent, failure, script)
    }

    /// Makes a call of any form, begun at `sent`. `fields` is metadata that only this call has. `script` sends its
    /// messages; it is run again if the call is sent once more. What was measured within the stream goes to what the
    /// worker shares.
    pub fn streaming<'f>(
        &self,
        form: &Form,
        fields: &(impl IntoIterator<Item = (&'f [u8], &'f [u8])> + Clone),
        sent: Instant,
        failure: &mut String,
        script: impl AsyncFn(&ClientCall),
    ) -> impl Future<Output = Reply> {
        self.call(Some(form), fields, sent, failure, script)
    }

    /// Makes a call on the current session, or the next.
    #[expect(clippy::manual_async_fn, reason = "an async fn keeps all that it is given twice, for each call in flight")]
    fn call<'f>(
        &self,
        form: Option<&Form>,
        fields: &(impl IntoIterator<Item = (&'f [u8], &'f [u8])> + Clone),
        sent: Instant,
        failure: &mut String,
        script: impl AsyncFn(&ClientCall),
    ) -> impl Future<Output = Reply> {
        async move {
            let clock = self.link.shared.clock;
            let sent = clock.offset(sent);
            let mut sent_again = false;
            let mut begun = sent;
            loop {
                let session = match self.link.current() {
                    _ if self.link.abandoned.get() => return Reply::without_answer(None, clock.now().since(sent)),
                    Some(session) => session,
                    // Rare, and large: every slot would have the room for it.
                    None => match Box::pin(self.link.wait(self.link.deadline(sent), failure)).await {
                        Ok(session) => {
                            begun = clock.now();
                            session
                        }
                        Err(status) => return Reply::without_answer(status, clock.now().since(sent)),
                    },
                };
                let attempt = Attempt { sent, begun, deadline: self.link.deadline(sent) };
                let call = session.begin(form, fields.clone(), attempt);
                script(&call).await;
                let (ending, reply) = call.answer(failure).await;
                begun = sent.plus_nanos(reply.service_ns);
                match ending {
                    Ending::Status(_) | Ending::ByClient | Ending::Abandoned => return reply,
                    Ending::NotSent => self.link.replace(&session),
                    Ending::NotProcessed if sent_again => {
                        failure.push_str(", also when the call was sent again");
                        return Reply { status: Some(status::number(Code::Unavailable)), ..reply };
                    }
                    Ending::NotProcessed => {
                        sent_again = true;
                        self.link.shared.tally.borrow_mut().retried += 1;
                    }
                }
            }
        }
    }

    /// Cuts off every call, now and from now on.
    pub fn abandon(&self) {
        self.link.abandoned.set(true);
        for session in self.link.sessions.borrow().iter() {
            session.abandon();
        }
        self.link.wake_waiting();
    }

    /// Takes no more calls, cuts off those in flight, says goodbye to the server, and waits until that has left.
    pub async fn close(&self) {
        self.abandon();
        let sessions = self.link.sessions.borrow().clone();
        for session in &sessions {
            session.leave();
        }
        for session in sessions {
            session.ended().await;
        }
    }
}

impl Link {
    fn current(&self) -> Option<Session> {
        match &*self.state.borrow() {
            State::Up(session) => Some(session.clone()),
            State::Down { .. } => None,
        }
    }

    /// When a call that was begun at `sent` ends at the latest.
    fn deadline(&self, sent: Offset) -> Option<Offset> {
        self.route.deadline.map(|deadline| sent + deadline)
    }

    /// Waits for the connect that is under way. Errors with the status of the call, `None` for abandoned, when that
    /// fails, or takes longer than the call may.
    async fn wait(&self, deadline: Option<Offset>, failure: &mut String) -> Result<Session, Option<Code>> {
        let failed_before = self.failed_connects.get();
        let outcome = std::future::poll_fn(|cx| {
            if self.abandoned.get() {
                return Poll::Ready(Err(None));
            }
            match &mut *self.state.borrow_mut() {
                State::Up(session) => Poll::Ready(Ok(session.clone())),
                State::Down { last_failure, .. } if self.failed_connects.get() > failed_before => {
                    failure.clear();
                    failure.push_str(last_failure);
                    Poll::Ready(Err(Some(Code::Unavailable)))
                }
                State::Down { waiting, .. } => {
                    waiting.push(cx.waker().clone());
                    Poll::Pending
                }
            }
        });
        let Some(deadline) = deadline else { return outcome.await };
        timeout_at(self.shared.clock.instant(deadline), outcome).await.unwrap_or_else(|_| {
            failure.clear();
            failure.push_str("deadline exceeded while there was no connection");
            Err(Some(Code::DeadlineExceeded))
        })
    }

    /// Uses a new connection from now on.
    fn take_up(self: &Rc<Link>, established: Established) {
        let Established { wire, socket, .. } = established;
        let session = Session::new(wire, &self.route, Rc::clone(&self.shared));
        self.sessions.borrow_mut().push(session.clone());
        let before = self.state.replace(State::Up(session.clone()));
        if let State::Down { waiting, .. } = before {
            waiting.into_iter().for_each(Waker::wake);
        }
        self.shared.spawn(Link::attend(Rc::downgrade(self), session, socket));
    }

    /// Runs a session to its end, and sees to it that another one follows.
    async fn attend(link: Weak<Link>, session: Session, socket: super::socket::Socket) {
        let on_closing = || {
            if let Some(link) = link.upgrade() {
                link.replace(&session);
            }
        };
        session.run(socket, on_closing).await;
        let Some(link) = link.upgrade() else { return };
        link.sessions.borrow_mut().retain(|other| !other.is(&session));
        link.judge(&session);
        link.replace(&session);
    }

    /// Draws the conclusion from a session that is over: a server that takes connections only to drop them is treated
    /// like one that takes none. Not before its end, because a server may send a connection away before it has answered
    /// any of the calls that it took (nginx does, at `keepalive_requests`).
    fn judge(&self, session: &Session) {
        if session.was_of_use() {
            self.pause.set(Duration::ZERO);
        } else {
            self.lengthen_pause();
        }
    }

    /// Begins a new connection if `session` is the current one.
    fn replace(self: &Rc<Link>, session: &Session) {
        let is_current = matches!(&*self.state.borrow(), State::Up(current) if current.is(session));
        if !is_current || self.abandoned.get() {
            return;
        }
        self.state.replace(State::Down { waiting: Vec::new(), last_failure: String::new() });
        session.retire();
        self.shared.tally.borrow_mut().lost += 1;
        self.shared.spawn(Link::reconnect(Rc::clone(self)));
    }

    async fn reconnect(self: Rc<Link>) {
        loop {
            if !self.pause.get().is_zero() {
                sleep(self.pause.get()).await;
            }
            if self.abandoned.get() {
                return;
            }
            match establish(&self.route).await {
                Ok(established) => {
                    self.take_up(established);
                    self.shared.tally.borrow_mut().reconnected += 1;
                    return;
                }
                Err(error) => {
                    self.lengthen_pause();
                    self.failed_connects.set(self.failed_connects.get() + 1);
                    if let State::Down { last_failure, .. } = &mut *self.state.borrow_mut() {
                        *last_failure = error.to_string();
                    }
                    self.wake_waiting();
                }
            }
        }
    }

    fn lengthen_pause(&self) {
        self.pause.set((self.pause.get() * 2).clamp(PAUSE_MIN, PAUSE_MAX));
    }

    fn wake_waiting(&self) {
        if let State::Down { waiting, .. } = &mut *self.state.borrow_mut() {
            waiting.drain(..).for_each(Waker::wake);
        }
    }
}
