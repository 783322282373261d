// Values against the published schemas of the package format: JSON lines `{schema, value}` in, `{valid, errors}` out.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import Ajv from "ajv/dist/2020.js";

const [directory] = process.argv.slice(2);
const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;
const ajv = new Ajv({ allErrors: true, formats: { "date-time": dateTime } });
const compiled = new Map();

function validator(name) {
  if (!compiled.has(name)) {
    const schema = readFileSync(`${directory}/${name}.schema.json`, "utf8");
    compiled.set(name, ajv.compile(JSON.parse(schema)));
  }
  return compiled.get(name);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { schema, value } = JSON.parse(line);
  const validate = validator(schema);
  const valid = validate(value);
  const errors = valid ? [] : validate.errors.map((it) => `${it.instancePath}: ${it.message}`);
  console.log(JSON.stringify({ valid, errors }));
}
