/** Callers of the simulation behave as clients do: they come back when they are told to. */
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import { afterEach, expect, test } from "vitest";
import { systemClock, type Clock } from "@farthing/facilitator";
import { createCallers } from "./callers.ts";
import { createResponseTimeouts } from "./response-timeout.ts";
import { seededRandomByName } from "./seeded-random.ts";
import { signAuthorization } from "@farthing/lab/token-calls";
import { createTrace } from "./trace.ts";

const servers = new Set<ReturnType<typeof createServer>>();
afterEach(() => {
  for (const server of servers) server.close().closeAllConnections();
  servers.clear();
});

async function listen(respond: RequestListener): Promise<string> {
  const server = createServer(respond);
  servers.add(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return `http://127.0.0.1:${address.port}`;
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** A facilitator that gives these responses in turn, the last one again and again. */
async function facilitatorOf(...responses: readonly (readonly [number, object])[]) {
  let requests = 0;
  const url = await listen((_, response) => {
    const [status, body] = responses[Math.min(requests++, responses.length - 1)] ?? [500, {}];
    send(response, status, body);
  });
  return { url, requests: () => requests };
}

/** A facilitator that answers a settle when it has answered so many questions about its life. */
function busyFacilitator(questions: number): Promise<string> {
  let asked = 0;
  const settles: ServerResponse[] = [];
  return listen(({ url = "" }, response) => {
    if (!url.endsWith("/health")) settles.push(response);
    else {
      send(response, 200, {});
      asked++;
    }
    if (asked < questions) return;
    for (const settle of settles.splice(0)) send(settle, 200, { status: "confirmed" });
  });
}

/** On this machine nothing is done in the time that a run takes. */
const hurriedClock = { nowMs: () => 0, sleep: async () => undefined };

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

async function payNow({ url, clock = systemClock }: { url: string; clock?: Clock }) {
  let blocks = 0;
  const trace = createTrace(systemClock);
  const callers = createCallers({
    chainId: 51,
    trace,
    timeouts: createResponseTimeouts({ clock, askNode: async () => undefined }),
    urls: () => [url],
    random: seededRandomByName(1),
    surface: "self-built",
    keys: undefined,
    highest: () => blocks,
    headTime: () => 0,
    blocksLater: async (count) => void (blocks += count),
  });
  await callers.payNow(1, payment);
  return { responses: callers.responses.map(({ status }) => status), blocks, trace };
}

const unavailable = [503, { error: "service_unavailable" }] as const;

test("a payment that is told to come later is asked for again in the next block", async () => {
  const confirmed = [200, { status: "confirmed" }] as const;
  const facilitator = await facilitatorOf(unavailable, unavailable, confirmed);
  expect(await payNow(facilitator)).toMatchObject({ responses: [503, 503, 200], blocks: 2 });
});

test("a service that never takes it is given up", async () => {
  const facilitator = await facilitatorOf(unavailable);
  const { responses, blocks } = await payNow(facilitator);
  expect(responses.at(-1)).toBe(503);
  expect(blocks).toBe(32);
  expect(facilitator.requests()).toBe(33);
});

test("a caller waits while the service has answered little else, however late it is", async () => {
  const url = await busyFacilitator(10);
  expect((await payNow({ url, clock: hurriedClock })).responses).toEqual([200]);
});

test("a caller that is never answered gives up, and says why", async () => {
  const url = await busyFacilitator(Number.POSITIVE_INFINITY);
  const { responses, trace } = await payNow({ url, clock: hurriedClock });
  expect(responses).toEqual([0]);
  expect(trace.lines().join()).toContain("no response, Error: it answered 30 other questions");
});
