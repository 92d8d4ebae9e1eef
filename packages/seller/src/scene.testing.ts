/**
 * A seller, his app, his facilitator and what they did. Each test has a scene of its own, so that
 * those which mostly wait can run at the same time.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import {
  decodeHeader,
  headerNames,
  isObject,
  readReceipt,
  type JsonObject,
  type SettleResponse,
} from "@farthing/protocol";
import { aroundEach, expect } from "vitest";
import type { PaidRequest, RouteOptions, SellerEvent, SellerOptions } from "./index.ts";
import type { Listening } from "./adapters/listen.testing.ts";
import {
  startScriptedFacilitator,
  type ScriptedFacilitator,
} from "./scripted-facilitator.testing.ts";

/** What the app behind the charge answers. */
export interface AppResponse {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** The app behind the charge. Every adapter mounts it under all methods and paths. */
export type App = (request: {
  readonly body: string;
  readonly payment: PaidRequest;
}) => AppResponse | Promise<AppResponse>;

/** Serves the app behind one charge of one adapter, on a free port. */
export type Listen = (options: SellerOptions, route: RouteOptions, app: App) => Promise<Listening>;

/** The seller's address in every test. */
export const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";

/**
 * Long enough for verify and settle over loopback on a busy machine: the wait for a settlement ends
 * 200 ms before its deadline. Short enough that a test of a time-out does not drag.
 */
export const shortMs = 2_500;

/** The scene of the running test. */
export interface Scene {
  readonly facilitator: ScriptedFacilitator;
  readonly events: SellerEvent[];
  /** The payments with which the app was run. */
  readonly served: PaidRequest[];
  /** Starts the seller and gives the address of his report. */
  start(app?: App, options?: Partial<SellerOptions>, route?: RouteOptions): Promise<string>;
  stop(): Promise<void>;
}

/** Sets a new scene for each test and takes it down after; the object shows that of the test that asks. */
export function useScene(listen: Listen): Scene {
  const scenes = new AsyncLocalStorage<Scene>();
  aroundEach(async (runTest) => {
    const scene = await openScene(listen);
    try {
      await scenes.run(scene, runTest);
    } finally {
      await scene.stop();
      await scene.facilitator.close();
    }
  });
  const present = (): Scene => {
    const scene = scenes.getStore();
    if (scene === undefined) throw new Error("There is a scene only while a test runs.");
    return scene;
  };
  return {
    get facilitator() {
      return present().facilitator;
    },
    get events() {
      return present().events;
    },
    get served() {
      return present().served;
    },
    start: (...options) => present().start(...options),
    stop: () => present().stop(),
  };
}

async function openScene(listen: Listen): Promise<Scene> {
  const facilitator = await startScriptedFacilitator();
  let running: Listening | undefined;
  const events: SellerEvent[] = [];
  const served: PaidRequest[] = [];
  const report: App = () => ({ body: `report ${served.length}` });

  async function start(
    app: App = report,
    options: Partial<SellerOptions> = {},
    route: RouteOptions = {},
  ): Promise<string> {
    // A server handles requests outside of the test that started it, and the app asks for the scene.
    const inTest = AsyncLocalStorage.snapshot();
    running = await listen(
      {
        facilitator: { url: facilitator.url, apiKey: "fk_test_1" },
        payTo,
        // Every payment begins with a challenge; a list of all would say nothing more.
        onEvent: (event) => void (event.type === "challenged" || events.push(event)),
        ...options,
      },
      { price: "0.01", description: "One report", mimeType: "text/plain", ...route },
      (request) => {
        served.push(request.payment);
        return inTest(app, request);
      },
    );
    return `${running.url}/report?city=Paris`;
  }

  async function stop(): Promise<void> {
    await running?.close();
    running = undefined;
  }

  return { facilitator, events, served, start, stop };
}

/** The reason of a 402, which header and body must both give. */
export async function reasonOf(response: Response): Promise<unknown> {
  expect(response.status).toBe(402);
  const header = decodeHeader(response.headers.get(headerNames.paymentRequired) ?? "")?.value;
  const body = await bodyOf(response);
  expect(isObject(header) && header["error"]).toBe(body["error"]);
  return body["error"];
}

/** Checks an answer that leaves the outcome open: it must not make a buyer sign again. */
export async function expectLater(
  response: Response,
  error: string,
): Promise<SettleResponse | undefined> {
  expect(response.status).toBe(503);
  expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(0);
  expect(response.headers.get(headerNames.paymentRequired)).toBeNull();
  expect(await bodyOf(response)).toMatchObject({ error, retryable: true });
  return readReceipt(response.headers);
}

/** The JSON object in a body; an empty one when there is none. */
export async function bodyOf(response: Response): Promise<JsonObject> {
  const body: unknown = await response.json();
  return isObject(body) ? body : {};
}
