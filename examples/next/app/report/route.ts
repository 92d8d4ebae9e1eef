/** A route handler that sells one report. */
import { charge } from "../../charge.ts";

export const GET = charge({ description: "One report" }, (_request: Request, _context, payment) =>
  Response.json({ report: "worth a cent", paidBy: payment.payer }),
);
export const OPTIONS = GET;
