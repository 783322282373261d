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
# until the turn has its outcome. One `jq` for the whole stream: one for each line takes longer than the
# turn.
coproc CONNECTION {
    exec 3> >(jq --unbuffered -r '.params.result | select(.) |
        "\(.type) \(.delta // .reason // "" | tojson)"')
    exec socat - "UNIX-CONNECT:$socket" >&3
}
printf '{"jsonrpc":"2.0","id":1,"method":"subscribeEvents","params":{"sessionId":"%s"}}\n' "$session" \
    >&"${CONNECTION[1]}"
outcome=
text=
while read -r -t 60 -u "${CONNECTION[0]}" kind value; do
    case $kind in
        sync_end)
            printf '{"jsonrpc":"2.0","id":2,"method":"sendMessage","params":{"sessionId":"%s","content":"What is here?"}}\n' \
                "$session" >&"${CONNECTION[1]}"
            ;;
        text_delta) text+=$value ;;
        turn_outcome)
            outcome=$value
            break
            ;;
    esac
done
[ "$outcome" = '"completed"' ] || { echo "the outcome is '$outcome'"; exit 1; }
grep -q 'README.md' <<<"$text" || { echo "the answer does not name the file: $text"; exit 1; }

# The log, read with jq alone, tells the story.
story=$(call getEvents "{\"sessionId\": \"$session\"}" |
    jq -r '.events[] | if .type == "message" then .message.role else .type end' | paste -sd ' ')
expected='user instruction_snapshot assistant tool_started tool_result assistant tool_started tool_result assistant turn_outcome'
[ "$story" = "$expected" ] || { echo "the story is: $story"; exit 1; }
echo "socat and jq: ok"
