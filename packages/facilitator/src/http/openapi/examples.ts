/**
 * Adds an example to each body of each operation: what a test sent and what the service answered.
 * `npm run openapi-examples` writes them.
 */
import { isObject, type JsonObject } from "@farthing/protocol";
import { examples } from "./generated/examples.ts";

const methods = new Set(["get", "post", "put", "patch", "delete"]);

/** Changes the document. */
export function addExamples({ paths }: { readonly paths?: object }): void {
  for (const item of Object.values(paths ?? {})) {
    for (const [method, value] of Object.entries(membersOf(item))) {
      if (methods.has(method)) addTo(membersOf(value));
    }
  }
}

function addTo(operation: JsonObject): void {
  // The surface without keys has the same operations.
  const found = examples[String(operation["operationId"]).replace(/Hosted$/, "")];
  if (!found) return;
  const { request, responses = {} } = found;
  setExample(membersOf(operation["requestBody"]), request);
  for (const [status, example] of Object.entries(responses)) {
    setExample(membersOf(membersOf(operation["responses"])[status]), example);
  }
}

/** An example has one kind of content, JSON where there are several. */
function setExample(body: JsonObject, example: unknown): void {
  const content = membersOf(body["content"]);
  const json = content["application/json"];
  if (example !== undefined && isObject(json)) Object.assign(json, { example });
}

function membersOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
