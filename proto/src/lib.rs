//! Types of the Scorel protocol: events, methods, errors and the session fold.
