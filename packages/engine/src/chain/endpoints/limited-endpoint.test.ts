/** How questions are cut up for an endpoint, and what is asked again when it refuses them. */
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { isObject, networkOfChain } from "@farthing/protocol";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { Secret } from "../../base/secret.ts";
import { createChain } from "./chain.ts";
import { limitEndpoint, partsWaitingMax, type LimitedEndpoint } from "./limited-endpoint.ts";
import { createVirtualClock } from "./limited-node.testing.ts";
import {
  createRpcEndpoint,
  type RpcCall,
  type RpcEndpoint,
  type RpcResponse,
} from "./rpc-endpoint.ts";

const callOf = (number: number): RpcCall => ({ method: "eth_chainId", params: [number] });
const callsOf = (count: number) => Array.from({ length: count }, (_, number) => callOf(number));

/** Answers each call with its own parameter, as far as `refuse` lets it. */
function startEndpoint(refuse: (calls: readonly RpcCall[]) => RpcResponse | undefined) {
  const sizes: number[] = [];
  const state = { inFlight: 0, inFlightMost: 0 };
  const endpoint: RpcEndpoint = {
    index: 0,
    async send(calls) {
      sizes.push(calls.length);
      state.inFlight++;
      state.inFlightMost = Math.max(state.inFlightMost, state.inFlight);
      await new Promise((resolve) => setImmediate(resolve));
      state.inFlight--;
      const answers = calls.map(({ params }) => ({ ok: true as const, result: params[0] }));
      return refuse(calls) ?? { kind: "answered", answers };
    },
  };
  const limited = limitEndpoint(endpoint, { clock: systemClock, onLearned: () => {} });
  return { limited, sizes, state };
}

const refused = (
  refusal: "rate_limited" | "batch_too_large" | "batch_not_read" | "body_too_large",
  bodyBytes = 1_000,
): RpcResponse => {
  const error = { code: -32_000, message: "no", data: undefined };
  return { kind: "refused", refusal, error, bodyBytes, retryAfterMs: undefined };
};

const ask = async (limited: LimitedEndpoint, calls: readonly RpcCall[]) => {
  const untilMs = systemClock.nowMs() + 10_000;
  const answers = await limited.ask(calls, { priority: "outcome", untilMs });
  return answers.map((answer) => (answer?.ok ? answer.result : answer?.error.message));
};

const numbersTo = (count: number) => Array.from({ length: count }, (_, number) => number);

describe("too large", () => {
  test.each(["batch_too_large", "batch_not_read", "body_too_large"] as const)(
    "%s: halved, learned, and every call answered in order",
    async (refusal) => {
      const { limited, sizes } = startEndpoint(({ length }) =>
        length > 7 ? refused(refusal) : undefined,
      );
      expect(await ask(limited, callsOf(100))).toEqual(numbersTo(100));
      const { batchCalls } = limited.limiter.limits();
      expect(batchCalls).toBeLessThanOrEqual(7);
      sizes.length = 0;
      expect(await ask(limited, callsOf(100))).toEqual(numbersTo(100));
      expect(Math.max(...sizes)).toBe(batchCalls);
    },
  );

  test("an endpoint without batches has sixteen requests on their way at most", async () => {
    const { limited, state } = startEndpoint(({ length }) =>
      length > 1 ? refused("batch_not_read") : undefined,
    );
    const asked = [callsOf(123), callsOf(60), callsOf(193)].map((calls) => ask(limited, calls));
    expect((await Promise.all(asked)).flat()).toHaveLength(123 + 60 + 193);
    // Beside those that were whole when they began.
    expect(state.inFlightMost).toBeLessThanOrEqual(16 + 3);
    const again = await Promise.all([ask(limited, callsOf(123)), ask(limited, callsOf(123))]);
    expect(again.flat()).toHaveLength(246);
    expect(limited.limiter.limits().batchCalls).toBe(1);
  });

  test("what finds too many parts waiting is told so at once, and everybody else is answered", async () => {
    const held = Promise.withResolvers<void>();
    const endpoint: RpcEndpoint = {
      index: 0,
      async send(calls) {
        if (calls.length > 1) return refused("batch_not_read");
        await held.promise;
        return { kind: "answered", answers: [{ ok: true, result: calls[0]?.params[0] }] };
      },
    };
    const limited = limitEndpoint(endpoint, { clock: systemClock, onLearned: () => {} });
    limited.limiter.learnSize("batchCalls", 1);
    // Sixteen are on their way; the others of each batch are asked for one after the other.
    const places = Math.ceil(partsWaitingMax / 16) + 1;
    const asked = Array.from({ length: places }, () => ask(limited, callsOf(40)));
    const late = await ask(limited, callsOf(40));
    expect(late).toEqual(callsOf(40).map(() => undefined));
    held.resolve();
    const answers = await Promise.all(asked);
    expect(answers.slice(0, -1)).toEqual(answers.slice(1).map(() => numbersTo(40)));
  });

  test("an error that has nothing to do with the number of calls teaches nothing", async () => {
    const { limited } = startEndpoint(({ length }) =>
      length > 1
        ? refused("batch_not_read")
        : {
            kind: "answered",
            answers: [{ ok: false, error: { code: -32_000, message: "no", data: undefined } }],
          },
    );
    expect(await ask(limited, callsOf(8))).toEqual(numbersTo(8).map(() => "no"));
    expect(limited.limiter.limits().batchCalls).toBeUndefined();
  });

  test("one call that is too long is told so, and the length learned", async () => {
    const { limited } = startEndpoint(() => refused("body_too_large", 40_000));
    expect(await ask(limited, callsOf(1))).toEqual(["no"]);
    expect(limited.limiter.limits().bodyBytes).toBe(20_000);
  });
});

describe("a rate limit", () => {
  test.each([
    ["429 with a page", 429, "<html>slow down</html>"],
    ["429 with JSON", 429, '{"jsonrpc":"2.0","id":null,"error":{"code":429,"message":"slow"}}'],
    ["one -32005 for the whole", 200, '{"id":null,"error":{"code":-32005,"message":"slow"}}'],
    ["a list with one -32005", 200, '[{"id":null,"error":{"code":-32005,"message":"slow"}}]'],
  ])("%s: a batch stays one, and is asked again later", async (_, status, text) => {
    const clock = createVirtualClock();
    const sizes: number[] = [];
    let isLimited = true;
    const server = createServer((request, response) => {
      void json(request).then((body) => {
        const calls = Array.isArray(body) ? body.filter(isObject) : [];
        sizes.push(calls.length);
        const answers = calls.map(({ id }) => ({ jsonrpc: "2.0", id, result: "0x1" }));
        if (isLimited) response.writeHead(status).end(text);
        else response.writeHead(200).end(JSON.stringify(answers));
        return undefined;
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const endpoint = createRpcEndpoint({ url: new Secret(`http://127.0.0.1:${port}`), index: 0 });
    const chain = createChain({
      network: networkOfChain(51),
      endpoints: [endpoint],
      log: silentLog,
      clock,
    });
    try {
      const reading = chain.read(callsOf(6));
      await expect.poll(() => sizes.length).toBe(1);
      isLimited = false;
      // Nothing is asked before the pause is over.
      await clock.advance(900);
      expect(sizes).toEqual([6]);
      await expect
        .poll(async () => {
          await clock.advance(200);
          return sizes;
        })
        .toEqual([6, 6]);
      expect(await reading).toHaveLength(6);
      expect(chain.limits()).toMatchObject([{ requestsPerSecond: 4.5, countsCalls: false }]);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  test("no room in time: the read fails, and says why", async () => {
    const clock = createVirtualClock();
    const network = networkOfChain(51);
    const endpoint: RpcEndpoint = {
      index: 0,
      send: async () => ({
        kind: "refused",
        refusal: "rate_limited",
        error: { code: 429, message: "slow", data: undefined },
        bodyBytes: 100,
        retryAfterMs: 60_000,
      }),
    };
    const chain = createChain({ network, endpoints: [endpoint], log: silentLog, clock });
    await expect(chain.read(callsOf(1))).rejects.toMatchObject({
      code: "rpc_unavailable",
      message: expect.stringContaining("RPC endpoint 0"),
    });
  });

  test("what is sent in order stops at what had no turn", async () => {
    let requests = 0;
    const { limited, sizes } = startEndpoint(({ length }) => {
      if (length > 2) return refused("batch_too_large");
      return ++requests > 1 ? refused("rate_limited") : undefined;
    });
    const untilMs = systemClock.nowMs();
    const asking = { priority: "send", untilMs, isInOrder: true } as const;
    const answers = await limited.ask(callsOf(6), asking);
    expect(answers.map((answer) => answer?.ok === true)).toEqual([true, ...Array(5).fill(false)]);
    expect(answers.slice(2).every((answer) => answer === undefined)).toBe(true);
    expect(sizes.filter((size) => size <= 2).length).toBeLessThanOrEqual(2);
  });
});
