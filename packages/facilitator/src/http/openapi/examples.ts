/**
 * Adds an example to each body of each operation: what a test sent and what the service answered.
 * `npm run openapi-examples` writes them.
 */
import { isObject, type JsonObject } from "@farthing/protocol";
import { examples } from "./generated/examples.ts";

const methods = new Set(["get", "post", "put", "patch", "delete"]);

/** Changes the document. */
export function addExamples(document: JsonObject): JsonObject {
  for (const item of Object.values(membersOf(document["paths"]))) {
    for (const [method, value] of Object.entries(membersOf(item))) {
      if (methods.has(method)) addTo(membersOf(value));
    }
  }
  return document;
}

function addTo(operation: JsonObject): void {
  const found = examples[String(operation["operationId"])];
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
