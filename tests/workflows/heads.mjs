// Heads of documents as the npm package `yaml` reads them: a JSON string for each text in, its values out.
import { createInterface } from "node:readline";
import { parseDocument } from "yaml";

for await (const line of createInterface({ input: process.stdin })) {
  const text = JSON.parse(line);
  const head = /^---\r?\n([^]*?)^---[ \t]*\r?$/m.exec(text)[1];
  const document = parseDocument(head, { intAsBigInt: false });
  if (document.errors.length > 0) {
    console.log(JSON.stringify({ error: String(document.errors[0]) }));
  } else {
    console.log(JSON.stringify({ values: document.toJS() ?? {} }));
  }
}
