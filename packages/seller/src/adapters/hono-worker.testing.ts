/** A Worker that makes a report and charges for it afterwards. Its memory or an object has the records. */
import { Hono } from "hono";
import {
  createDurableObjectGrants,
  type RecordsNamespace,
} from "../payment-records/durable-object/durable-object.ts";
import { farthing } from "./hono.ts";

export { PaymentRecordsObject } from "../payment-records/durable-object/durable-object.ts";

interface Env {
  readonly FACILITATOR_URL: string;
  readonly PAY_TO: string;
  /** "object" for payment records in the Durable Object. */
  readonly STORE?: string;
  readonly RECORDS: RecordsNamespace<unknown>;
}

let app: Hono | undefined;

export default {
  fetch(
    request: Request,
    { FACILITATOR_URL: url, PAY_TO: payTo, STORE, RECORDS: namespace }: Env,
    context: {
      waitUntil(work: Promise<unknown>): void;
      passThroughOnException(): void;
      props: unknown;
    },
  ): Response | Promise<Response> {
    if (!app) {
      const store = STORE === "object" ? { grants: createDurableObjectGrants({ namespace }) } : {};
      const charge = farthing({ facilitator: { url }, payTo, waitMs: 4_000, ...store });
      app = new Hono();
      app.get("/report", charge({ price: "0.01", settle: "after-success" }), (c) =>
        c.text("a report"),
      );
    }
    return app.fetch(request, {}, context);
  },
};
