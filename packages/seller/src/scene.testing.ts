/** A seller, his app, his facilitator and what they did, for one test at a time. */
import {
  decodeHeader,
  headerNames,
  isObject,
  readReceipt,
  type JsonObject,
  type SettleResponse,
} from "@farthing/protocol";
import { afterEach, beforeEach, expect } from "vitest";
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

/** Sets a new scene before each test, and takes it down after. */
export function useScene(listen: Listen): Scene {
  let facilitator: ScriptedFacilitator;
  let running: Listening | undefined;
  const events: SellerEvent[] = [];
  const served: PaidRequest[] = [];
  const report: App = () => ({ body: `report ${served.length}` });

  async function start(
    app: App = report,
    options: Partial<SellerOptions> = {},
    route: RouteOptions = {},
  ): Promise<string> {
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
        return app(request);
      },
    );
    return `${running.url}/report?city=Paris`;
  }

  async function stop(): Promise<void> {
    await running?.close();
    running = undefined;
  }

  beforeEach(async () => {
    facilitator = await startScriptedFacilitator();
    events.length = 0;
    served.length = 0;
  });
  afterEach(async () => {
    await stop();
    await facilitator.close();
  });
  return {
    get facilitator() {
      return facilitator;
    },
    events,
    served,
    start,
    stop,
  };
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
