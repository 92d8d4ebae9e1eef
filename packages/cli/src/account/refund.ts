/** `farthing refund`: returns money of a payment to its payer, signed by the payee's wallet. */
import {
  authorizationTypedData,
  shortUsdc,
  member,
  parseRefundable,
  parseUsdc,
  refundAuthorization,
  refundEnd,
  refundProblem,
  saleProblem,
  toWireAuthorization,
} from "@farthing/protocol";
import type { Command } from "commander";
import { addSigningFlags, openAccount, openByKey, type AccountFlags } from "./account-session.ts";
import { UsageError } from "../command/command-errors.ts";
import { exitCodes, type ExitCode } from "../command/exit-codes.ts";
import { printOne } from "../output/print-output.ts";
import { demandYes } from "../input/prompt.ts";
import { demandOnChain } from "./refund-evidence.ts";
import { rpcOption, type NodeFlags } from "../input/rpc-node.ts";
import { runCommand } from "../command/run-command.ts";
import { whileWaiting } from "../output/waiting.ts";
import { readWallet } from "../wallet/wallet.ts";

interface RefundFlags extends AccountFlags, NodeFlags {
  readonly amount?: string;
  readonly yes?: boolean;
}

/** The facilitator holds a response for 30 seconds at most. */
const waitSeconds = 25;

export function register(program: Command): void {
  addSigningFlags(program.command("refund"))
    .description(
      "Returns money of a final payment to its payer. The payee's wallet signs; the facilitator sends it for no gas. Authorized by FARTHING_API_KEY, or by the session of `farthing account sign-in`.",
    )
    .argument("<settlement>", "id of the payment's settlement, stl_…")
    .option("--amount <usdc>", "a part, such as 0.01 (default: all that is left)")
    .option("--yes", "do not ask")
    .addOption(rpcOption("node to ask whether the payer has paid"))
    .action((id: string, flags: RefundFlags) => runCommand(() => refund(id, flags)));
}

async function refund(id: string, flags: RefundFlags): Promise<ExitCode> {
  const part = flags.amount === undefined ? undefined : parseUsdc(flags.amount);
  if (flags.amount !== undefined && part === undefined) {
    throw new UsageError("--amount must be USDC with at most six decimals, such as 0.01.");
  }
  if (!/^stl_[0-9a-f]{32}$/.test(id)) {
    throw new UsageError(
      "The settlement's id is stl_ and 32 hexadecimal digits, as the seller's receipt and the dashboard have it.",
    );
  }
  const apiKey = process.env["FARTHING_API_KEY"];
  const { call } = apiKey ? openByKey(flags, apiKey) : openAccount(flags);
  const path = apiKey ? "/settlements/" : "/v1/account/settlements/";
  const settlement = await call("GET", path + encodeURIComponent(id));
  const payment = parseRefundable(settlement);
  if (!payment) throw new Error(`The settlement ${id} is no payment that can be refunded.`);
  const { signer } = await readWallet(flags, false);
  const amount = part ?? payment.rest;
  const problem = saleProblem(payment) ?? refundProblem(payment, amount, signer.address);
  if (problem) throw new Error(problem.message);
  await whileWaiting("Comparing the payment with the chain", () =>
    demandOnChain(settlement, payment, amount, flags),
  );
  const { network, payer } = payment;
  const question = `Refund ${shortUsdc(amount)} USDC to ${payer} on ${network.id}?`;
  await demandYes(question, flags.yes, "Nothing was refunded.");
  const authorization = refundAuthorization(payment, amount, refundEnd(Date.now()));
  const signature = await signer.signTypedData(authorizationTypedData(network, authorization));
  const body = { settlementId: id, authorization: toWireAuthorization(authorization), signature };
  const prefer = { prefer: `wait=${waitSeconds}` };
  const result = await whileWaiting("Waiting for the confirmation of the refund", () =>
    call("POST", "/v1/refunds", body, prefer),
  );
  const status = member(result, "status");
  if (status !== "confirmed" && status !== "pending") {
    const said = member(result, "errorMessage");
    throw new Error(typeof said === "string" ? said : "The facilitator refused the refund.");
  }
  printOne(
    {
      id: member(result, "id"),
      refundOf: id,
      status,
      amount: amount.toString(),
      transaction: member(result, "transaction"),
    },
    flags,
  );
  return status === "confirmed" ? exitCodes.success : exitCodes.paymentOpen;
}
