//! Which of the addresses of a name a connection goes to.

use std::net::SocketAddr;

/// How connections are spread over the addresses of a name. Each goes to one; if that does not answer, to the next.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Balancing {
    /// All to the first that answers, in the order of the resolver.
    #[default]
    PickFirst,
    /// Connection `k` to address `k`, beginning anew behind the last.
    RoundRobin,
}

impl Balancing {
    /// The addresses in the order in which connection `number` tries them.
    pub(super) fn order(self, mut addresses: Vec<SocketAddr>, number: u64) -> Vec<SocketAddr> {
        if self == Balancing::RoundRobin {
            // Resolvers may change the order each time, and name an address once for each kind of socket.
            addresses.sort_unstable();
            addresses.dedup();
            let first = number % addresses.len().max(1) as u64;
            addresses.rotate_left(usize::try_from(first).expect("an index"));
        }
        addresses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_go_round_in_an_order_of_their_own() {
        let [a, b, c] = ["127.0.0.1:7", "127.0.0.2:7", "[::1]:7"].map(|address| address.parse::<SocketAddr>().unwrap());
        let found = [vec![c, a, b, a], vec![b, a, c], vec![a, b, c], vec![c, b, a]];
        for (number, order) in (0..).zip([[a, b, c], [b, c, a], [c, a, b], [a, b, c]]) {
            for found in &found {
                assert_eq!(Balancing::RoundRobin.order(found.clone(), number), order);
                assert_eq!(&Balancing::PickFirst.order(found.clone(), number), found);
            }
        }
        assert!(Balancing::RoundRobin.order(Vec::new(), 1).is_empty());
    }
}
