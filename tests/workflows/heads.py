"""Heads of documents as python-frontmatter reads them: a JSON string for each text in, its values and body out."""

import json
import sys

import frontmatter

for line in sys.stdin:
    text = json.loads(line)
    try:
        post = frontmatter.loads(text)
        answer = {"values": post.metadata, "body": post.content}
        written = json.dumps(answer)
    except Exception as error:  # a reader's own kinds of errors
        written = json.dumps({"error": f"{type(error).__name__}: {error}"})
    print(written)
