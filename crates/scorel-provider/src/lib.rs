//! Model providers: the wires over HTTP and the offline demo model.
