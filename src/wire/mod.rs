//! A sans-IO HTTP/2 client core: bytes in, events out; commands in, bytes out.
