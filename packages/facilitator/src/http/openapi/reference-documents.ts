/**
 * The OpenAPI document as people read it: one part for sellers, buyers and agents, one for the
 * account API, which the dashboard calls with a session. Operations that two surfaces share are
 * shown once. Programs get the whole document at /openapi.json.
 */
import { isObject, type JsonObject } from "@farthing/protocol";
import type { Surface } from "../access/surface.ts";

export type ReferenceSurface = Pick<Surface, "name" | "basePath" | "auth">;

interface Operation {
  readonly path: string;
  readonly method: string;
  readonly operation: JsonObject;
}

export const referenceNames = ["payments", "account"] as const;

export interface ReferenceDocument {
  readonly name: (typeof referenceNames)[number];
  readonly title: string;
  readonly document: JsonObject;
}

const payments = {
  name: "payments",
  title: "Payments API",
  description: [
    "Verify and settle x402 payments, follow settlements, refund payments, and find paid endpoints.",
    "",
    "A payment that can be evaluated is answered with HTTP 200, also when it is refused: `isValid`, `success` and `status` say what happened, and `errorReason` says why. `pending` means that the outcome is not known yet: ask again, and never sign a second payment instead.",
    "",
    "Each operation has samples for curl, TypeScript (`fetch`, the same in JavaScript), Python and Go. Programs read the whole description at [/openapi.json](/openapi.json).",
  ].join("\n"),
} as const;

const account = {
  name: "account",
  title: "Account API",
  description:
    "What the dashboard calls: the account, its API keys, credits, webhooks and listings. The session is a cookie that `POST /v1/account/sign-in/complete` sets, and requests that change something must carry the `Origin` of this site.",
} as const;

/** Splits a document by who calls its operations; a part without operations is left out. */
export function referenceDocuments(
  whole: JsonObject,
  surfaces: readonly ReferenceSurface[],
): ReferenceDocument[] {
  const operations = operationsOf(whole);
  const paths = new Set(operations.map(({ path }) => path));
  /** The paths of further surfaces repeat those of the first one, which has the base path "". */
  const isRepeated = ({ path }: Operation): boolean =>
    surfaces.some(
      ({ basePath }) =>
        basePath !== "" &&
        path.startsWith(`${basePath}/`) &&
        paths.has(path.slice(basePath.length)),
    );
  const own = operations.filter((one) => !isRepeated(one));
  const parts = [
    { about: payments, list: own.filter((one) => !isOfAccount(one)) },
    { about: account, list: own.filter(isOfAccount) },
  ];
  return parts
    .filter(({ list }) => list.length > 0)
    .map(({ about: { name, title, description }, list }) => ({
      name,
      title,
      document: {
        ...whole,
        info: { ...(isObject(whole["info"]) ? whole["info"] : {}), title, description },
        servers: name === "payments" ? surfaces.map(serverOf) : [{ url: "/" }],
        tags: tagsOf(whole, list),
        paths: pathsOf(list, (one) => withServers(one, { paths, surfaces })),
      },
    }));
}

function operationsOf({ paths }: JsonObject): Operation[] {
  if (!isObject(paths)) return [];
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(isObject(item) ? item : {}).flatMap(([method, operation]) =>
      isObject(operation) ? [{ path, method, operation }] : [],
    ),
  );
}

/** Operations that need a session, and those that begin one. */
function isOfAccount({ path, operation: { security } }: Operation): boolean {
  const needsSession =
    Array.isArray(security) &&
    security.length > 0 &&
    security.every((one) => isObject(one) && "session" in one);
  return needsSession || path.startsWith("/v1/account");
}

function serverOf({ basePath, auth }: ReferenceSurface): JsonObject {
  const description = auth === "api-key" ? "For sellers with an API key" : "For anyone, no API key";
  return { url: basePath === "" ? "/" : basePath, description };
}

/** An operation that only the first surface has names that one as its server. */
function withServers(
  { path, operation }: Operation,
  { paths, surfaces }: { paths: ReadonlySet<string>; surfaces: readonly ReferenceSurface[] },
): JsonObject {
  const [first] = surfaces;
  const isEverywhere = surfaces.every(({ basePath }) => paths.has(`${basePath}${path}`));
  return isEverywhere || !first ? operation : { ...operation, servers: [serverOf(first)] };
}

function tagsOf({ tags }: JsonObject, list: readonly Operation[]): unknown[] {
  const used = new Set(list.flatMap(({ operation: { tags: names } }) => names));
  return (Array.isArray(tags) ? tags : []).filter((tag) => isObject(tag) && used.has(tag["name"]));
}

function pathsOf(
  list: readonly Operation[],
  write: (operation: Operation) => JsonObject,
): JsonObject {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const one of list) {
    paths[one.path] = { ...paths[one.path], [one.method]: write(one) };
  }
  return paths;
}
