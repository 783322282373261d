#!/bin/sh
# Runs the project's tests when the model says that it is done. If they fail, it goes on with their output.
[ -x ./run-tests ] || exit 0
output=$(./run-tests 2>&1) && exit 0
printf 'The tests fail:\n%s\n' "$output" | tail -n 40 >&2
exit 2
