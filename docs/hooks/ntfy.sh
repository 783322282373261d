#!/bin/sh
# Tells a phone of questions and ends, over a server of ntfy: the first argument is the topic's address.
message=$(sed -n 's/.*"message":"\([^"]*\)".*/\1/p')
curl --silent --show-error --max-time 20 --header 'Title: Scorel' --data "${message:-something happened}" "$1" >/dev/null
