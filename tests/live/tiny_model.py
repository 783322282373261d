"""Writes a model of random weights in the GGUF format: the smallest that llama.cpp serves.

    tiny_model.py FILE

Its tokens are single characters. It answers with random ones, which is enough to see whether a
server is spoken to rightly.
"""

import sys

import gguf
import numpy as np

CONTEXT = 131_072
WIDTH = 64
LAYERS = 2
HEADS = 4
FEED_FORWARD = 128

TEMPLATE = (
    "{% for message in messages %}<{{ message.role }}>{{ message.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)


def vocabulary():
    """Control tokens, all bytes, and the printable characters of ASCII."""
    kind = gguf.TokenType
    tokens = [("<unk>", kind.UNKNOWN), ("<s>", kind.CONTROL), ("</s>", kind.CONTROL)]
    tokens += [(f"<0x{byte:02X}>", kind.BYTE) for byte in range(256)]
    printable = (chr(code) for code in range(0x21, 0x7F))
    tokens += [(char, kind.NORMAL) for char in ["\u2581", *printable]]
    return tokens


def main(path):
    tokens = vocabulary()
    chance = np.random.default_rng(1)

    def weights(*shape):
        return chance.standard_normal(shape, dtype=np.float32) * np.float32(0.3)

    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_tokenizer_model("llama")
    writer.add_token_list([text for text, _ in tokens])
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types([int(kind) for _, kind in tokens])
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(TEMPLATE)

    writer.add_tensor("token_embd.weight", weights(len(tokens), WIDTH))
    for layer in range(LAYERS):
        block = f"blk.{layer}"
        writer.add_tensor(f"{block}.attn_norm.weight", np.ones(WIDTH, np.float32))
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            writer.add_tensor(f"{block}.{name}.weight", weights(WIDTH, WIDTH))
        writer.add_tensor(f"{block}.ffn_norm.weight", np.ones(WIDTH, np.float32))
        writer.add_tensor(f"{block}.ffn_gate.weight", weights(FEED_FORWARD, WIDTH))
        writer.add_tensor(f"{block}.ffn_up.weight", weights(FEED_FORWARD, WIDTH))
        writer.add_tensor(f"{block}.ffn_down.weight", weights(WIDTH, FEED_FORWARD))
    writer.add_tensor("output_norm.weight", np.ones(WIDTH, np.float32))
    output = weights(len(tokens), WIDTH)
    # The answer consists of characters: no bytes that are not UTF-8, and no early end.
    output[[kind != gguf.TokenType.NORMAL for _, kind in tokens]] = 0
    writer.add_tensor("output.weight", output)

    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


main(sys.argv[1])
