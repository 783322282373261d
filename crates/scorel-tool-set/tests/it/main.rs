//! Tests of tool sets, with sources that tests steer.

mod fakes;
mod sets;
