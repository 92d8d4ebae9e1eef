/** Callers of the simulation behave as clients do: they come back when they are told to. */
import { createServer } from "node:http";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "@farthing/facilitator";
import { createCallers } from "./callers.ts";
import { seededRandomByName } from "./seeded-random.ts";
import { signAuthorization } from "@farthing/lab/token-calls";
import { createTrace } from "./trace.ts";

const servers = new Set<ReturnType<typeof createServer>>();
afterEach(() => {
  for (const server of servers) server.close().closeAllConnections();
  servers.clear();
});

/** A facilitator that gives these responses in turn, the last one again and again. */
async function facilitatorOf(...responses: readonly (readonly [number, object])[]) {
  let requests = 0;
  const server = createServer((_, response) => {
    const [status, body] = responses[Math.min(requests++, responses.length - 1)] ?? [500, {}];
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  servers.add(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return { url: `http://127.0.0.1:${address.port}`, requests: () => requests };
}

const addressOf = (digit: string) => `0x${digit.repeat(40)}` as const;
const payment = signAuthorization(
  51,
  {
    from: addressOf("1"),
    to: addressOf("2"),
    value: 7n,
    validAfter: 0n,
    validBefore: 4_000_000_000n,
    nonce: `0x${"3".repeat(64)}`,
  },
  `0x${"4".repeat(64)}`,
);

async function payNow(facilitator: { readonly url: string }) {
  let blocks = 0;
  const callers = createCallers({
    chainId: 51,
    clock: systemClock,
    trace: createTrace(systemClock),
    urls: () => [facilitator.url],
    random: seededRandomByName(1),
    surface: "self-built",
    keys: undefined,
    highest: () => blocks,
    blocksLater: async (count) => void (blocks += count),
  });
  await callers.payNow(1, payment);
  return { responses: callers.responses.map(({ status }) => status), blocks };
}

const unavailable = [503, { error: "service_unavailable" }] as const;

test("a payment that is told to come later is asked for again in the next block", async () => {
  const confirmed = [200, { status: "confirmed" }] as const;
  const facilitator = await facilitatorOf(unavailable, unavailable, confirmed);
  expect(await payNow(facilitator)).toEqual({ responses: [503, 503, 200], blocks: 2 });
});

test("a service that never takes it is given up", async () => {
  const facilitator = await facilitatorOf(unavailable);
  const { responses, blocks } = await payNow(facilitator);
  expect(responses.at(-1)).toBe(503);
  expect(blocks).toBe(32);
  expect(facilitator.requests()).toBe(33);
});
