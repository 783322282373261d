"""An endpoint that answers every conversation with the same long text, at a set pace, on three wires."""
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# A message with this word gets the long answer; requests for titles and the like do not have it.
TRIGGER = "golong"
WORDS = "lorem ipsum dolor sit amet consetetur sadipscing elitr sed diam".split()
# A paragraph has some five lines, as in answers of models.
PARAGRAPH = 60


class Answer:
    """The long answer: how many deltas of one word, and how many of them a second."""

    def __init__(self, deltas, rate):
        self.deltas, self.rate = deltas, rate
        self.bytes = sum(len(word) for word in self.words())

    def words(self):
        for index in range(self.deltas):
            ends = index % PARAGRAPH == PARAGRAPH - 1
            yield WORDS[index % len(WORDS)] + (".\n\n" if ends else " ")

    def paced(self):
        begin = time.monotonic()
        for index, word in enumerate(self.words()):
            ahead = begin + index / self.rate - time.monotonic()
            # A shorter sleep takes longer than asked for.
            if ahead > 0.004:
                time.sleep(ahead)
            yield word


def messages(words):
    """Anthropic's Messages API."""
    start = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []}
    start |= {"stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
    yield "message_start", {"message": start}
    yield "content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}
    for word in words:
        yield "content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": word}}
    yield "content_block_stop", {"index": 0}
    end = {"stop_reason": "end_turn", "stop_sequence": None}
    yield "message_delta", {"delta": end, "usage": {"output_tokens": 1}}
    yield "message_stop", {}


def responses(words):
    """OpenAI's Responses API."""
    yield "response.created", {"response": {"id": "r1"}}
    item = {"type": "message", "role": "assistant", "id": "m1", "content": []}
    yield "response.output_item.added", {"output_index": 0, "item": item}
    text = ""
    for word in words:
        text += word
        place = {"item_id": "m1", "output_index": 0, "content_index": 0}
        yield "response.output_text.delta", place | {"delta": word}
    item["content"] = [{"type": "output_text", "text": text}]
    yield "response.output_item.done", {"output_index": 0, "item": item}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    yield "response.completed", {"response": {"id": "r1", "usage": usage}}


def completions(words):
    """OpenAI's chat completions."""

    def chunk(delta, reason=None):
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return None, {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}

    yield chunk({"role": "assistant", "content": ""})
    for word in words:
        yield chunk({"content": word})
    yield chunk({}, "stop")
    yield None, None


def encoded(name, data):
    if data is None:
        return b"data: [DONE]\n\n"
    if name is None:
        return f"data: {json.dumps(data)}\n\n".encode()
    return f"event: {name}\ndata: {json.dumps({'type': name} | data)}\n\n".encode()


def handler(answer):
    class Endpoint(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def refuse(self):
            self.send_response(404)
            self.send_header("content-length", "0")
            self.end_headers()

        do_GET = refuse

        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            if b'"stream":true' not in body.replace(b" ", b"") or "count_tokens" in self.path:
                return self.refuse()
            is_conversation = TRIGGER.encode() in body and b'"tools"' in body
            words = answer.paced() if is_conversation else ["ok"]
            wires = {"messages": messages, "responses": responses}
            wire = next((wires[name] for name in wires if name in self.path), completions)
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            try:
                for name, data in wire(words):
                    self.chunk(encoded(name, data))
                self.chunk(b"")
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def chunk(self, data):
            self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
            self.wfile.flush()

    return Endpoint


def serve(answer):
    """Serves the answer in the background; returns the port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(answer))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port
