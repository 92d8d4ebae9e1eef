/** What `gateway check --online` finds out by asking: redirects, and challenges that something keeps. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { listen, type Listening } from "@farthing/seller/testing/listen";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { GatewayConfig } from "../configuration/configuration.ts";
import { rule } from "../configuration/gateway-file.testing.ts";
import { startGateway, type Gateway } from "../gateway.ts";
import { configOf } from "../gateway.testing.ts";
import { checkOnline } from "./check-online.ts";

const routes = [
  rule("GET /free/* free"),
  rule("GET /moved 0.01"),
  rule("GET /withheld 0.01", { redirects: "withhold" }),
  rule("GET /before 0.01", { settle: "before-upstream" }),
  rule("GET /reports/:id 0.01"),
];

let upstream: Listening;
let asked: string[] = [];
let front: Listening;
let gateway: Gateway;
let config: GatewayConfig;
/** What the server in front of the gateway keeps, as a badly configured cache does. */
let kept: Promise<Response> | undefined;
let isKeeping = false;

beforeAll(async () => {
  upstream = await listen((req, res) => {
    asked.push(`${req.method} ${req.url}`);
    res.writeHead(302, { Location: "https://storage.example/?signature=secret" }).end();
  });
  const passOn = async ({ url = "" }: IncomingMessage, res: ServerResponse): Promise<void> => {
    const ask = () => fetch(gateway.url + url);
    const answer = await (isKeeping ? (kept ??= ask()) : ask());
    const header = answer.headers.get("PAYMENT-REQUIRED");
    res.writeHead(answer.status, header === null ? {} : { "PAYMENT-REQUIRED": header });
    res.end(await answer.clone().text());
  };
  front = await listen((req, res) => void passOn(req, res));
  config = configOf(upstream.url, { routes, publicUrl: front.url });
  gateway = await startGateway({ config });
});
afterAll(async () => {
  await gateway?.stop();
  await front?.close();
  await upstream?.close();
});

async function found(name: string, changed: Partial<GatewayConfig> = {}) {
  const findings = await checkOnline({ ...config, ...changed });
  return findings
    .filter((one) => one.name.startsWith(name))
    .map((one) => `${one.status} ${one.name}: ${one.text}`);
}

test("redirects that would be sold are warned of, without their address", async () => {
  asked = [];
  expect(await found("routes")).toEqual([
    "warn routes[1] GET /moved: is answered with a redirect (302): the buyer pays, and anyone may use the address",
  ]);
  expect(asked).toEqual(["HEAD /moved"]);
});

test("each challenge of a running gateway has a token of its own", async () => {
  expect(await found("publicUrl")).toEqual([
    "ok publicUrl: each challenge carries a token of its own",
  ]);
});

test("two challenges with the same token are a failure", async () => {
  isKeeping = true;
  const findings = await found("publicUrl");
  isKeeping = false;
  expect(findings).toEqual([
    `fail publicUrl: two challenges of ${front.url}/moved carry the same token: something keeps them`,
  ]);
});

test("what is no gateway, and what does not answer, is told apart", async () => {
  expect(await found("publicUrl", { publicUrl: upstream.url })).toEqual([
    `warn publicUrl: ${upstream.url}/moved is not answered with a challenge`,
  ]);
  expect(await found("publicUrl", { publicUrl: "http://127.0.0.1:9" })).toEqual([
    "warn publicUrl: http://127.0.0.1:9 does not answer, so its challenges were not compared",
  ]);
});
