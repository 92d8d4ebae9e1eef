/**
 * The service's description as something that answers are held to: every answer must be described,
 * with its status and its kind of content, and have the described members and no others.
 */
import { isObject, type JsonObject } from "@farthing/protocol";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { noteExample } from "./openapi-examples.testing.ts";

/** An answer as it came. */
export interface Exchange {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string | null;
  readonly text: string;
  /** What was sent. */
  readonly body?: unknown;
}

/** A description with what was held to it. */
export interface Contract {
  readonly document: JsonObject;
  /** `operationId status` of what is described as a success. */
  readonly successes: readonly string[];
  /** `operationId status` of what was seen. */
  readonly seen: ReadonlySet<string>;
  /** Throws when an answer is not as described. */
  hold(exchange: Exchange): void;
  /** JSON bodies of operations that have no example, or one that is not as described. */
  withoutExample(): readonly string[];
}

const methods = ["get", "post", "put", "patch", "delete"];

/** Reads the description of a running service. */
export async function readContract(url: string): Promise<Contract> {
  const document: unknown = await (await fetch(`${url}/openapi.json`)).json();
  if (!isObject(document)) throw new Error("/openapi.json is no object");
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: "service", ...closed(document) });
  const operations = operationsOf(document);
  const seen = new Set<string>();

  function validatorOf(place: readonly string[]): ValidateFunction {
    const pointer = place.map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1"));
    const reference = `service#/${pointer.map(encodeURIComponent).join("/")}`;
    return ajv.getSchema(reference) ?? ajv.compile({ $ref: reference });
  }

  return {
    document,
    successes: operations.flatMap(({ operation, id }) =>
      Object.keys(membersOf(operation["responses"]))
        .filter((status) => status.startsWith("2"))
        .map((status) => `${id} ${status}`),
    ),
    seen,
    withoutExample: () =>
      operations.flatMap(({ operation, id, place }) =>
        [["requestBody"], ...successesOf(operation)].flatMap((at) => {
          const json = at.reduce((value: JsonObject, key) => membersOf(value[key]), operation)[
            "content"
          ];
          const media = membersOf(membersOf(json)["application/json"]);
          if (media["schema"] === undefined) return [];
          const { example } = media;
          const name = `${id} ${at.join(" ")}`;
          if (example === undefined) return [name];
          const validate = validatorOf([...place, ...at, "content", "application/json", "schema"]);
          return validate(example) ? [] : [`${name}: ${ajv.errorsText(validate.errors)}`];
        }),
      ),
    hold(exchange) {
      const { method, path, status, contentType, text } = exchange;
      const what = `${method} ${path}: ${status} ${text.slice(0, 500)}`;
      const found = operations.find((one) => one.method === method && one.pattern.test(path));
      if (!found) throw new Error(`${what}: there is no such operation`);
      const response = membersOf(found.operation["responses"])[status];
      if (!isObject(response)) throw new Error(`${what}: this status is not described`);
      seen.add(`${found.id} ${status}`);
      noteExample(found.id, exchange);
      const content = response["content"];
      if (!isObject(content)) {
        if (text !== "") throw new Error(`${what}: it is described as empty`);
        return;
      }
      const type = contentType?.split(";")[0] ?? "";
      if (!(type in content)) throw new Error(`${what}: ${type} is not described`);
      const place = [...found.place, "responses", `${status}`, "content", type, "schema"];
      const validate = validatorOf(place);
      const body: unknown = type === "application/json" ? JSON.parse(text) : text;
      if (!validate(body)) {
        throw new Error(`${what}: ${ajv.errorsText(validate.errors, { dataVar: "answer" })}`);
      }
    },
  };
}

function operationsOf(document: JsonObject) {
  return Object.entries(membersOf(document["paths"])).flatMap(([path, item]) =>
    Object.entries(membersOf(item))
      .filter(([method]) => methods.includes(method))
      .map(([method, value]) => {
        const operation = membersOf(value);
        return {
          method: method.toUpperCase(),
          pattern: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, "[^/?]+")}(\\?.*)?$`),
          place: ["paths", path, method],
          operation,
          id: String(operation["operationId"]),
        };
      }),
  );
}

/** Where an operation describes its successes. */
function successesOf(operation: JsonObject): readonly (readonly string[])[] {
  return Object.keys(membersOf(operation["responses"]))
    .filter((status) => status.startsWith("2"))
    .map((status) => ["responses", status]);
}

function membersOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The same where every object has only the members that are named. */
function closed<T>(value: T): T;
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => closed(one));
  if (!isObject(value)) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, closed(one)]));
  const isOpen = value["type"] === "object" && isObject(value["properties"]);
  return isOpen && !("additionalProperties" in value)
    ? { ...inner, additionalProperties: false }
    : inner;
}

/** Holds every answer that is fetched from a service to its description; gives what ends that. */
export function holdAnswers(url: string, contract: Contract): () => void {
  const { fetch } = globalThis;
  globalThis.fetch = async (input, init) => {
    const response = await fetch(input, init);
    const place = new URL(input instanceof Request ? input.url : input);
    if (place.origin === url) {
      contract.hold({
        method: init?.method ?? "GET",
        path: `${place.pathname}${place.search}`,
        status: response.status,
        contentType: response.headers.get("content-type"),
        text: await response.clone().text(),
        body: init?.body,
      });
    }
    return response;
  };
  return () => {
    globalThis.fetch = fetch;
  };
}
