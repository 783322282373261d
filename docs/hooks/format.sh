#!/bin/sh
# Removes blanks at the ends of lines of what was written. Put your formatter here.
path=$(sed -n 's/.*"tool_input":{[^}]*"file_path":"\([^"]*\)".*/\1/p')
[ -f "$path" ] || exit 0
sed -i 's/[[:blank:]]*$//' "$path"
echo '{"hookSpecificOutput": {"additionalContext": "The file was formatted: read it again before you edit it."}}'
