//! The tools a model can call, on named roots.
