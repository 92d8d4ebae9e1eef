/** Requests as hostile as a request line and its headers can make them, for properties. */
import { type Arbitrary, array, constantFrom, oneof, tuple } from "fast-check";

/** A Host header that names another resource, for whoever puts it in front of a target. */
export const evilHost = "127.0.0.1/report?days=1&shop=mine#";

/** Requests for thirty days that were read as requests for one day, each by some server. */
export const attacks: [string, string, string[]][] = [
  ["a Host with a path", "GET /report?days=30", [`Host: ${evilHost}`]],
  ["a Host with a user name", "GET /report?days=30", ["Host: 127.0.0.1/report?days=1#@shop"]],
  ["a Host with a backslash", "GET /report?days=30", ["Host: 127.0.0.1\\report?days=1#"]],
  ["two Hosts", "GET /report?days=30", ["Host: shop.example", `Host: ${evilHost}`]],
  ["X-Forwarded-Host", "GET /report?days=30", [`X-Forwarded-Host: ${evilHost}`]],
  ["X-Forwarded-Proto", "GET /report?days=30", [`X-Forwarded-Proto: http://${evilHost}`]],
  ["X-Forwarded-Proto without a host", "GET /report?days=30", ["X-Forwarded-Proto: data"]],
  ["a fragment as query", "GET /report#days=30", []],
  ["a fragment in the query", "GET /report?#&days=30", []],
  ["a fragment behind a query", "GET /report?days=1#&days=30", []],
  ["an absolute target", "GET http://shop.example/report?days=30", []],
  ["a target with a host", "GET //shop.example/report?days=30", []],
  ["a backslash for a slash", "GET /\\shop.example/report?days=30", []],
  ["dot segments", "GET /other/../report?days=30", []],
  ["encoded dot segments", "GET /other/%2e%2e/report?days=30", []],
  ["encoded letters", "GET /%72eport?days=30", []],
  ["a tab", "GET /rep\tort?days=30", []],
  ["bytes outside ASCII", "GET /report?days=30&\xe9", []],
];

/** A request line from pieces that URL parsers, routers and proxies read in several ways. */
const pieces =
  "/ // report ? # & = days days=30 days=1 .. . /../ /./ %2e%2e %2E %23 %2f %5c %25 %00 %zz % \\ \t \f ' \" < > [ ] { } | ^ ` ; , : @ * + ! $ ~ é ÿ http:// http: shop.example :80 a";
/** Pieces that leave most targets plain, so that many requests come as far as a price. */
const plainPieces =
  "/report /a ? & = days=30 days=1 days %20 %2F %23 ; , : @ + ' [ ] | ! ~ http://";

const target = tuple(
  constantFrom("/report", "/report?", "/", "/a", "", "//", "http://shop.example/", "*", "?"),
  oneof(
    array(constantFrom(...plainPieces.split(" ")), { maxLength: 5 }),
    array(constantFrom(...pieces.split(" ")), { maxLength: 7 }),
  ),
).map(([start, rest]) => start + rest.join(""));
const plainHost = constantFrom("shop.example", "127.0.0.1:80", "[::1]:80", "localhost", "SHOP");
const host = oneof(
  { weight: 4, arbitrary: plainHost },
  {
    weight: 1,
    arbitrary: array(
      constantFrom(...pieces.split(" "), "shop", "1", "[::1]", "a_b", "xn--a", "256.1.1.1", ""),
      { maxLength: 4, size: "max" },
    ).map((parts) => parts.join("")),
  },
);
const scheme = constantFrom("http", "https", "HTTPS, http", "ftp", "", `http://${evilHost}`);
const forwarded = array(
  oneof(
    host.map((value) => `X-Forwarded-Host: ${value}`),
    scheme.map((value) => `X-Forwarded-Proto: ${value}`),
    host.map((value) => `Host: ${value}`),
    constantFrom("X-Original-URL: /a", "X-Rewrite-URL: /a", "Forwarded: host=a;proto=b"),
  ),
  { maxLength: 2 },
);
const method = oneof(
  { weight: 4, arbitrary: constantFrom("GET") },
  { weight: 1, arbitrary: constantFrom("POST", "HEAD", "TRACE", "PROPFIND", "OPTIONS") },
);

/** A raw request: its line without the version, its target, and its headers, Host among them. */
export interface AnyRequest {
  readonly line: string;
  readonly target: string;
  readonly headers: readonly string[];
}

/** Any request that a socket can carry. */
export const anyRequest: Arbitrary<AnyRequest> = tuple(method, target, host, forwarded).map(
  ([verb, path, name, more]) => ({
    line: `${verb} ${path}`,
    target: path,
    headers: [`Host: ${name}`, ...more],
  }),
);

/** A target without what every parser reads alike: `%27`, and an empty query. */
export const alike = (text: string) => text.replace(/^([^?]*)\?$/, "$1").replaceAll("'", "%27");
