/** A Cloudflare Worker that sells one report: Hono, with the records of payments in a Durable Object. */
import { farthing } from "@farthing/seller/hono";
import { createDurableObjectGrants, type RecordsNamespace } from "@farthing/seller/durable-object";
import { Hono, type ExecutionContext } from "hono";

// Cloudflare creates the object from the class that the Worker's main module exports.
export { PaymentRecordsObject } from "@farthing/seller/durable-object";

interface Env {
  readonly FACILITATOR_URL: string;
  readonly FARTHING_API_KEY?: string;
  readonly NETWORK: "eip155:50" | "eip155:51";
  readonly PAY_TO: `0x${string}`;
  readonly PRICE: string;
  readonly RECORDS: RecordsNamespace<unknown>;
}

function createApp(env: Env, context: ExecutionContext): Hono {
  const { FACILITATOR_URL: url, FARTHING_API_KEY: apiKey } = env;
  const charge = farthing({
    facilitator: apiKey === undefined ? { url } : { url, apiKey },
    payTo: env.PAY_TO, // where the money goes
    network: env.NETWORK,
    price: env.PRICE,
    grants: createDurableObjectGrants({ namespace: env.RECORDS }),
  });
  // Logs "Ready: …", or what to fix.
  context.waitUntil(charge.ready());
  const app = new Hono();
  app.get("/report", charge({ description: "One report" }), (c) =>
    c.json({ report: "worth a cent", paidBy: c.get("payment").payer }),
  );
  return app;
}

let app: Hono | undefined;

// A Worker gets its settings with the first request.
export default {
  fetch(request: Request, env: Env, context: ExecutionContext): Response | Promise<Response> {
    app ??= createApp(env, context);
    // The context keeps the Worker alive while the outcome of a pending payment is polled.
    return app.fetch(request, env, context);
  },
};
