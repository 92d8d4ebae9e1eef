/** What /verify and /settle have in common as routes. */
import type { Surface } from "../http/access/surface.ts";
import type { PaymentContext } from "./context.ts";
import type { PaymentAnswer, PaymentCall } from "./payment-call.ts";

/** A route that takes calls. It throws what the HTTP layer responds to as a problem. */
export interface PaymentRoute {
  readonly name: "verify" | "settle";
  answer(context: PaymentContext, surface: Surface, call: PaymentCall): Promise<PaymentAnswer>;
  /** The members of an error response that stock clients read beside any status. */
  shapeOf(error: Error, networkName: string): object;
}
