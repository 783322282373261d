//! A daemon that answers what the test says and remembers what it was asked.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;

use serde_json::{Value, json};

use crate::program::TestHome;

#[derive(Clone)]
pub(crate) struct Daemon {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    answers: HashMap<String, MethodAnswer>,
    calls: Vec<Value>,
    /// What every subscriber gets at once.
    prelude: Vec<Value>,
    /// What subscribers get when a message was accepted.
    after_send: Vec<Value>,
    subscribers: Vec<UnixStream>,
    connections: Vec<UnixStream>,
    /// How many calls of a method end their connection instead of being answered.
    dropped: HashMap<String, usize>,
}

/// How a method is answered.
#[derive(Clone)]
enum MethodAnswer {
    Never,
    Result(Value),
    Error(Value),
}

impl Daemon {
    /// Answers at the home's socket from now on.
    pub(crate) fn start(place: &TestHome) -> Self {
        let listener = UnixListener::bind(place.home().join("scoreld.sock")).expect("a socket");
        let daemon = Self {
            shared: Arc::default(),
        };
        daemon.answer(
            "hello",
            json!({
                "protocol": 1, "deviceId": "dev_01ARZ3NDEKTSV4RRFFQ69G5FAV", "version": "0.1.0",
            }),
        );
        let copy = daemon.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let copy = copy.clone();
                thread::spawn(move || copy.serve(&stream.expect("a connection")));
            }
        });
        daemon
    }

    pub(crate) fn answer(&self, method: &str, result: Value) {
        let answer = MethodAnswer::Result(result);
        self.state().answers.insert(method.to_owned(), answer);
    }

    /// The result that calls of the method get.
    pub(crate) fn answered(&self, method: &str) -> Value {
        match self.state().answers.get(method) {
            Some(MethodAnswer::Result(result)) => result.clone(),
            _ => panic!("{method} has no result"),
        }
    }

    pub(crate) fn refuse(&self, method: &str, number: i64, code: &str) {
        self.refuse_with(method, (number, code), &json!({"why": "test"}));
    }

    pub(crate) fn refuse_with(&self, method: &str, (number, code): (i64, &str), details: &Value) {
        let data = json!({"code": code, "retryable": false, "details": details});
        let error = json!({"code": number, "message": format!("it is {code}"), "data": data});
        self.state()
            .answers
            .insert(method.to_owned(), MethodAnswer::Error(error));
    }

    /// Calls of `method` are not answered.
    pub(crate) fn hold(&self, method: &str) {
        self.state()
            .answers
            .insert(method.to_owned(), MethodAnswer::Never);
    }

    /// The next call of `method` ends its connection.
    pub(crate) fn drop_next(&self, method: &str) {
        *self.state().dropped.entry(method.to_owned()).or_default() += 1;
    }

    pub(crate) fn prelude(&self, items: &[Value]) {
        self.state().prelude = items.to_vec();
    }

    pub(crate) fn after_send(&self, items: &[Value]) {
        self.state().after_send = items.to_vec();
    }

    /// Sends items to the subscribers that are there now.
    pub(crate) fn publish(&self, items: &[Value]) {
        publish(&mut self.state(), items);
    }

    /// Ends the connections of all subscribers.
    pub(crate) fn hang_up(&self) {
        for stream in self.state().subscribers.drain(..) {
            stream
                .shutdown(std::net::Shutdown::Both)
                .expect("open until now");
        }
    }

    /// Ends all connections.
    pub(crate) fn hang_up_all(&self) {
        for stream in self.state().connections.drain(..) {
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
    }

    /// The parameters of all calls of a method so far.
    pub(crate) fn calls(&self, method: &str) -> Vec<Value> {
        params_of(&self.state(), method)
    }

    /// The names of the methods in the order of their calls.
    pub(crate) fn methods(&self) -> Vec<String> {
        let state = self.state();
        let name = |call: &Value| call["method"].as_str().unwrap_or_default().to_owned();
        state.calls.iter().map(name).collect()
    }

    /// Waits until a method was called so often, and gives the parameters of that call.
    pub(crate) fn wait_for(&self, method: &str, count: usize) -> Value {
        let state = self.state();
        let missing = |state: &mut State| params_of(state, method).len() < count;
        let state = self
            .shared
            .changed
            .wait_while(state, missing)
            .expect("no panic");
        params_of(&state, method)[count - 1].clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().expect("no panic")
    }

    fn serve(&self, stream: &UnixStream) {
        self.state()
            .connections
            .push(stream.try_clone().expect("a copy"));
        for line in BufReader::new(stream).lines() {
            let Ok(line) = line else { return };
            let call: Value = serde_json::from_str(&line).expect("JSON");
            if !self.handle(&call, stream) {
                let _ = stream.shutdown(std::net::Shutdown::Both);
                return;
            }
        }
    }

    /// Says whether the connection goes on.
    fn handle(&self, call: &Value, stream: &UnixStream) -> bool {
        let method = call["method"].as_str().expect("a method");
        let mut state = self.state();
        state.calls.push(call.clone());
        self.shared.changed.notify_all();
        if let Some(count) = state.dropped.get_mut(method)
            && *count > 0
        {
            *count -= 1;
            return false;
        }
        if call.get("id").is_none() {
            return true;
        }
        if method == "subscribeEvents" {
            subscribe(&mut state, call, stream);
            return true;
        }
        let mut reply = json!({"jsonrpc": "2.0", "id": call["id"]});
        match state.answers.get(method) {
            Some(MethodAnswer::Never) => return true,
            Some(MethodAnswer::Result(result)) => reply["result"] = result.clone(),
            Some(MethodAnswer::Error(error)) => reply["error"] = error.clone(),
            None => reply["error"] = json!({"code": -32601, "message": format!("no {method}")}),
        }
        send(stream, &reply);
        if method == "sendMessage" {
            let items = std::mem::take(&mut state.after_send);
            publish(&mut state, &items);
        }
        true
    }
}

fn params_of(state: &State, method: &str) -> Vec<Value> {
    let calls = state.calls.iter().filter(|call| call["method"] == method);
    calls.map(|call| call["params"].clone()).collect()
}

fn subscribe(state: &mut State, call: &Value, stream: &UnixStream) {
    send(
        stream,
        &json!({"jsonrpc": "2.0", "id": call["id"], "result": "sub"}),
    );
    for item in &state.prelude {
        send(stream, &notification(item));
    }
    state.subscribers.push(stream.try_clone().expect("a copy"));
}

fn publish(state: &mut State, items: &[Value]) {
    for stream in &state.subscribers {
        for item in items {
            send(stream, &notification(item));
        }
    }
}

fn notification(item: &Value) -> Value {
    json!({"jsonrpc": "2.0", "method": "event", "params": {"subscription": "sub", "result": item}})
}

/// A client that has gone does not hear it.
fn send(mut stream: &UnixStream, value: &Value) {
    let _ = stream.write_all(format!("{value}\n").as_bytes());
}
