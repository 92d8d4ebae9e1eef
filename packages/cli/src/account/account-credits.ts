/** `farthing account credits buy`: pays a facilitator for credits and waits until they are there. */
import {
  authorizationTypedData,
  shortUsdc,
  isBytes32,
  member,
  networkOfChain,
  parseAddress,
  parseUint256,
  unitsPerCredit,
  type Authorization,
  type JsonObject,
} from "@farthing/protocol";
import { namedNetwork, openAccount, type AccountFlags } from "./account-session.ts";
import { exitCodes, type ExitCode } from "../command/exit-codes.ts";
import { printOne } from "../output/print-output.ts";
import { demandYes } from "../input/prompt.ts";
import { whileWaiting } from "../output/waiting.ts";
import { readWallet } from "../wallet/wallet.ts";

export interface BuyFlags extends AccountFlags {
  readonly yes?: boolean;
}

const path = "/v1/account/credits/purchases";

/** Reads of a purchase, each held for ten seconds: the time of a payment and its finality. */
const readsMax = 60;

const restingStates = ["credited", "held", "rejected", "failed", "expired", "canceled"];

export async function buyCredits(credits: number, flags: BuyFlags): Promise<ExitCode> {
  const account = openAccount(flags);
  const network = namedNetwork(flags) ?? networkOfChain(account.chainId);
  const { signer } = await readWallet(flags, false);
  const { chainId } = network;
  const order = { credits, chainId, payer: signer.address };
  const purchase = await account.call("POST", path, order);
  const authorization = readAuthorization(purchase, { from: signer.address, credits });
  const price = `${shortUsdc(authorization.value)} USDC`;
  const question = `Pay ${price} for ${credits} credits to ${authorization.to} on ${network.id}?`;
  await demandYes(question, flags.yes, "Nothing was paid.");
  const signature = await signer.signTypedData(authorizationTypedData(network, authorization));
  const id = encodeURIComponent(String(member(purchase, "id")));
  const current = await whileWaiting(`Paying ${price}, waiting for the credits`, async () => {
    let read = await account.call("POST", `${path}/${id}/payment`, { signature });
    for (let reads = 0; reads < readsMax && !isResting(read); reads++) {
      const state = encodeURIComponent(String(member(read, "state")));
      read = await account.call("GET", `${path}/${id}?wait=10&while=${state}`);
    }
    return read;
  });
  const { typedData: _, timeline: __, ...shown } = current;
  printOne(shown, flags);
  if (member(current, "state") === "credited") return exitCodes.success;
  return isResting(current) && member(current, "state") !== "held"
    ? exitCodes.general
    : exitCodes.paymentOpen;
}

function isResting(purchase: JsonObject): boolean {
  return restingStates.includes(String(member(purchase, "state")));
}

/** What is signed is made here, at no other price; the facilitator names the payee, the nonce and the end. */
function readAuthorization(
  purchase: JsonObject,
  { from, credits }: { readonly from: Authorization["from"]; readonly credits: number },
): Authorization {
  const to = parseAddress(member(purchase, "payTo"));
  const nonce = member(purchase, "nonce");
  const validBefore = parseUint256(member(purchase, "validBefore"));
  const value = BigInt(credits) * unitsPerCredit;
  const isPriced = member(purchase, "amount") === value.toString();
  if (!to || !isBytes32(nonce) || validBefore === undefined || !isPriced) {
    throw new Error("The facilitator's purchase has another price or form; nothing was signed.");
  }
  return { from, to, value, validAfter: 0n, validBefore, nonce };
}
