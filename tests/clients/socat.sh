#!/usr/bin/env bash
# Holds a short conversation with socat and jq alone.
set -euo pipefail
socket=$1
project=$2

# One call over a connection of its own; prints the result.
call() {
    jq -cn --arg method "$1" --argjson params "$2" '{jsonrpc: "2.0", id: 1, $method, $params}' |
        socat -t 60 - "UNIX-CONNECT:$socket" |
        jq -ce 'select(.id == 1) | if .error then error(.error.message) else .result end'
}

project_id=$(call registerProject "$(jq -cn --arg dir "$project" '{workDir: $dir}')" | jq -r .project.projectId)
session=$(call createSession "{\"projectId\": \"$project_id\"}" | jq -r .sessionId)

# Subscribe; send once the subscription has caught up, since it sends records only until then; read
# until the turn has its outcome.
coproc CONNECTION { exec socat - "UNIX-CONNECT:$socket"; }
printf '{"jsonrpc":"2.0","id":1,"method":"subscribeEvents","params":{"sessionId":"%s"}}\n' "$session" \
    >&"${CONNECTION[1]}"
outcome=
text=
while IFS= read -r -t 60 -u "${CONNECTION[0]}" line; do
    kind=$(jq -r '.params.result.type // empty' <<<"$line")
    case $kind in
        sync_end)
            printf '{"jsonrpc":"2.0","id":2,"method":"sendMessage","params":{"sessionId":"%s","content":"What is here?"}}\n' \
                "$session" >&"${CONNECTION[1]}"
            ;;
        text_delta) text+=$(jq -r '.params.result.delta' <<<"$line") ;;
        turn_outcome)
            outcome=$(jq -r '.params.result.reason' <<<"$line")
            break
            ;;
    esac
done
[ "$outcome" = completed ] || { echo "the outcome is '$outcome'"; exit 1; }
grep -q 'README.md' <<<"$text" || { echo "the answer does not name the file: $text"; exit 1; }

# The log, read with jq alone, tells the story.
story=$(call getEvents "{\"sessionId\": \"$session\"}" |
    jq -r '.events[] | if .type == "message" then .message.role else .type end' | paste -sd ' ')
expected='user instruction_snapshot assistant tool_started tool_result assistant tool_started tool_result assistant turn_outcome'
[ "$story" = "$expected" ] || { echo "the story is: $story"; exit 1; }
echo "socat and jq: ok"
