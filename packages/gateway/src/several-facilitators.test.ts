/** Several facilitators in the gateway's file and options: what is read, what is refused, what is told. */
import { createServer } from "node:http";
import { addressOf } from "@farthing/seller/testing/listen";
import { expect, onTestFinished, test } from "vitest";
import { gatewayConfig, type Settings } from "./configuration/gateway-file.testing.ts";
import { readOneUpstream, writeOneUpstreamFile } from "./configuration/one-upstream.ts";
import { startGateway } from "./gateway.ts";
import { checkServices } from "./inspection/check-online.ts";

const one = { url: "https://one.example", apiKey: "key-of-one" };
const other = { url: "https://other.example/api/facilitator", name: "other" };
const options = { price: "0.01", network: "eip155:51", listen: "127.0.0.1:0" } as const;
const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";
const settings = {
  ...options,
  to: "http://127.0.0.1:9001",
  payTo,
  publicUrl: "https://api.example.com",
  facilitator: [one.url, other.url, "embedded"],
};

test("the order of the file is the order in which they are asked", () => {
  const { facilitators } = gatewayConfig({ facilitator: [one, other, "embedded"] });
  expect(facilitators).toEqual([
    { kind: "remote", ...one, name: one.url, timeoutMs: 30_000 },
    { kind: "remote", ...other, apiKey: undefined, timeoutMs: 30_000 },
    { kind: "embedded" },
  ]);
});

test.each<[unknown, RegExp]>([
  [[], /facilitator is an empty list/],
  [[one, one], /facilitator\[1\] names https:\/\/one.example a second time/],
  [["embedded", "embedded"], /facilitator\[1\] names embedded a second time/],
  [[one, { url: "ftp://x" }], /facilitator\[1\]\.url is "ftp:/],
  [[1, 2, 3, 4, 5, 6], /facilitator has 6 entries, more than 5/],
])("%j is refused", (facilitator, problem) => {
  const changed: Settings = { facilitator };
  expect(() => gatewayConfig(changed)).toThrow(problem);
});

test("what is queued is served with one engine inside only", () => {
  const changed = { facilitator: ["embedded", one], serveWhen: "queued" };
  expect(() => gatewayConfig(changed)).toThrow(/serveWhen/);
});

test("options: each facilitator gets its own key", () => {
  const environment = { FARTHING_API_KEY: "a", FARTHING_API_KEY_2: "b" };
  const { facilitators } = readOneUpstream(settings, environment, (name) => name);
  expect(facilitators).toMatchObject([
    { url: one.url, apiKey: "a" },
    { url: other.url, apiKey: "b" },
    { kind: "embedded" },
  ]);
  const text = writeOneUpstreamFile(
    { ...settings, facilitator: [one.url, other.url] },
    { FARTHING_API_KEY: "a" },
  );
  expect(text).toContain(
    'facilitator: [{ url: "https://one.example", apiKey: "${FARTHING_API_KEY}" }, { url: "https://other.example/api/facilitator" }]',
  );
});

test("health and the check name each of them; one that is down is a warning", async () => {
  const kinds = [{ x402Version: 2, scheme: "exact", network: "eip155:51" }];
  const server = createServer((_req, res) => void res.end(JSON.stringify({ kinds })));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const up = { url: addressOf(server), name: "up" };
  const down = { url: "http://127.0.0.1:9", name: "down" };
  const more = { network: "eip155:51", listen: { http: "127.0.0.1:0" } };
  const config = gatewayConfig({ ...more, facilitator: [down, up] });
  const findings = (await checkServices(config)).filter(({ name }) => name.startsWith("facil"));
  expect(findings.map(({ name, status }) => `${status} ${name}`)).toEqual([
    "warn facilitator[0]",
    "ok facilitator[1]",
  ]);
  const gateway = await startGateway({ config });
  onTestFinished(() => gateway.stop());
  const health: unknown = await (await fetch(`${gateway.url}/__x402/health`)).json();
  const facilitators = [down, up].map(({ name }) => ({ name, status: "available" }));
  expect(health).toEqual({ status: "ok", facilitators });
});
