/**
 * The facilitator of a run as the whole service: its HTTP, its engine with the relayer, and its store. It
 * may die at each write of its store and at each transaction that it sends, and starts again.
 */
import type { Devnet } from "@farthing/devnet";
import {
  createApiKey,
  readConfig,
  silentLog,
  startFacilitator,
  type ServiceStore,
} from "@farthing/facilitator";
import type { Address } from "@farthing/protocol";
import { createFacilitatorClient } from "@farthing/seller";
import { getGlobalDispatcher, setGlobalDispatcher, type Dispatcher } from "undici";
import { serviceSettings } from "../service-settings.ts";
import { createMortal, type Mortal } from "./mortal.ts";
import type { DrawEnd } from "./mortal.ts";
import { answerRequest, type ServiceChain } from "./service-chain.ts";
import type { FacilitatorLife } from "./sim-facilitator.ts";
import type { SteppingClock } from "./stepping-clock.ts";
import type { VaultDatabase } from "./vault-databases.ts";

interface ServiceDeps {
  readonly devnet: Devnet;
  readonly clock: SteppingClock;
  readonly chain: ServiceChain;
  readonly database: VaultDatabase;
  readonly drawEnd: DrawEnd;
}

/** More than the claims of any run. */
const freeCredits = 1_000_000;

/** Starts services, one life after the other, for accounts that have a key each. */
export async function createServices(
  accounts: readonly Address[],
  deps: ServiceDeps,
  stack: AsyncDisposableStack,
): Promise<() => FacilitatorLife> {
  const { clock, database } = deps;
  const keys = new Map<Address, string>();
  for (const account of accounts) {
    const request = { account, mode: "test", label: "sim" } as const;
    keys.set(account, (await createApiKey(database.store, clock, request)).text);
  }
  const nodes = answerNodes(stack);
  return () => startService(keys, nodes, deps);
}

type Nodes = Map<string, (body: string) => Promise<string>>;

/**
 * Answers requests to nodes in this process, so that time stands still while one is under way: the
 * engine sends them by undici's global dispatcher.
 */
function answerNodes(stack: AsyncDisposableStack): Nodes {
  const nodes: Nodes = new Map();
  const before = getGlobalDispatcher();
  setGlobalDispatcher(
    before.compose((dispatch) => (options, handler) => {
      const node = nodes.get(`${String(options.origin)}${options.path}`);
      if (!node || typeof options.body !== "string") return dispatch(options, handler);
      node(options.body).then(
        (text) => tell(handler, text),
        (error: unknown) => handler.onResponseError?.(unaborted, new Error(String(error))),
      );
      return true;
    }),
  );
  stack.defer(() => setGlobalDispatcher(before));
  return nodes;
}

/** What a handler may do with a request; one that is answered here is never paused or aborted. */
const unaborted: Dispatcher.DispatchController = {
  aborted: false,
  paused: false,
  reason: null,
  abort: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
};

function tell(handler: Dispatcher.DispatchHandler, text: string): void {
  handler.onResponseStart?.(unaborted, 200, {}, "OK");
  handler.onResponseData?.(unaborted, Buffer.from(text));
  handler.onResponseEnd?.(unaborted, {});
}

let lives = 0;

function startService(
  keys: ReadonlyMap<Address, string>,
  nodes: Nodes,
  { devnet, clock, chain, database, drawEnd }: ServiceDeps,
): FacilitatorLife {
  const mortal = createMortal(clock, drawEnd);
  const url = `http://127.0.0.1:1/${++lives}`;
  nodes.set(url, (body) => {
    const work = () => answerRequest(body, chain.answer);
    if (mortal.isDead()) return new Promise(() => undefined);
    if (body.includes("eth_sendRawTransaction")) return mortal.step("send", work);
    return mortal.whileAlive(clock.during(work()));
  });
  const env = {
    ...serviceSettings(devnet, url, database.url),
    FARTHING_GAS_PRICE_MAX: "100",
    FARTHING_FREE_CREDITS: `${freeCredits}`,
  };
  const starting = startFacilitator({
    config: readConfig({ env }),
    listen: false,
    clock: mortal,
    log: silentLog,
    store: mortalStore(database, mortal, clock),
  });
  // A start that fails is a process that ends, which is started again.
  starting.catch(() => mortal.kill());
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const service = await mortal.whileAlive(starting);
    return mortal.whileAlive(service.fetch(input, init));
  };
  return {
    mortal,
    callsOf(account) {
      const apiKey = keys.get(account);
      if (apiKey === undefined) throw new Error(`${account} has no key`);
      const client = createFacilitatorClient({ url: "http://facilitator.invalid", apiKey, fetch });
      const { keepVouchers } = client;
      if (!keepVouchers) throw new Error("A client with a key hands vouchers over");
      return { ...client, keepVouchers };
    },
  };
}

/** Writes that a death may fall upon: those that are made all the time would leave nothing else. */
const deadly =
  /^(keepVouchers|takeForClaim|spendRes|record|claimSett|bindClaim|reserveT|close|requeue)/;

function mortalStore(database: VaultDatabase, mortal: Mortal, clock: SteppingClock): ServiceStore {
  return new Proxy(database.store, {
    get(store, name) {
      const member: unknown = Reflect.get(store, name);
      if (name === "close") return async () => undefined;
      if (typeof member !== "function" || typeof name !== "string") return member;
      return (...input: unknown[]): unknown => {
        const work = (): unknown => Reflect.apply(member, store, input);
        if (name.startsWith("on")) return work();
        const inTime = async () => {
          await database.setTime(clock.nowMs());
          return work();
        };
        if (mortal.isDead()) return new Promise(() => undefined);
        return deadly.test(name)
          ? mortal.step(name, inTime)
          : mortal.whileAlive(clock.during(inTime()));
      };
    },
  });
}
