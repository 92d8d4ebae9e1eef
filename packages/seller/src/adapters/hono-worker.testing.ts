/** A Worker that makes a report and charges for it afterwards; its memory is what it keeps. */
import { Hono } from "hono";
import { farthing } from "./hono.ts";

export { PaymentRecordsObject } from "../payment-records/durable-object.ts";

interface Env {
  readonly FACILITATOR_URL: string;
  readonly PAY_TO: string;
}

let app: Hono | undefined;

export default {
  fetch(
    request: Request,
    { FACILITATOR_URL: url, PAY_TO: payTo }: Env,
    context: {
      waitUntil(work: Promise<unknown>): void;
      passThroughOnException(): void;
      props: unknown;
    },
  ): Response | Promise<Response> {
    if (!app) {
      const charge = farthing({ facilitator: { url }, payTo, waitMs: 4_000 });
      app = new Hono();
      app.get("/report", charge({ price: "0.01", settle: "after-success" }), (c) =>
        c.text("a report"),
      );
    }
    return app.fetch(request, {}, context);
  },
};
