/** What people do to the token: payers and the issuer, beside the facilitator. */
import { calls, signCancellation } from "@farthing/lab/token-calls";
import type { Address, Hex } from "@farthing/protocol";
import type { SimEnvironment } from "./environment.ts";
import { hasPause, type Event } from "./plan.ts";

/** An event at the token or at a contract wallet. */
export type TokenEvent = Extract<
  Event,
  {
    what:
      | "drain"
      | "refill"
      | "blacklist"
      | "unblacklist"
      | "pause"
      | "unpause"
      | "wallet-refuses"
      | "wallet-accepts"
      | "cancel"
      | "front-run";
  }
>;

/** In a block, 1,000 gwei go ahead of every relayer, a wei less than XDC's minimum behind them. */
const aheadPrice = 1_000_000_000_000n;
const behindPrice = 12_500_000_000n - 1n;

/** Receives drained money. */
export const sink: Address = "0x000000000000000000000000000000000000dEaD";

/** What a drained payer keeps, and what a refilled one gets, in base units. */
const leftUnits = 500n;
const refillUnits = 500_000_000n;

/** Prepares the token's events. */
export function createTokenEvents({ plan, devnet, world, payerWallets }: SimEnvironment) {
  const issuer = devnet.treasury.privateKey;

  /** Sends a call to the token, whose test controls are open to every account. */
  function order(data: Hex, privateKey = issuer, gasPrice = aheadPrice): void {
    world.order({ to: devnet.token, data, gasPrice }, privateKey);
  }

  async function drain(index: number): Promise<void> {
    const { address, privateKey } = payerWallets.buyer(index);
    const held = await devnet.usdc.balanceOf(address);
    if (held > leftUnits) order(calls.transfer(sink, held - leftUnits), privateKey);
  }

  function meddle(event: Extract<Event, { what: "cancel" | "front-run" }>): void {
    const payment = payerWallets.signed.get(event.payment);
    if (!payment) return;
    const { authorization, signature } = payment;
    const gasPrice = event.isAhead ? aheadPrice : behindPrice;
    if (event.what === "front-run") {
      return order(calls.settle(authorization, signature), issuer, gasPrice);
    }
    const { from: authorizer, nonce } = authorization;
    const key = payerWallets.keyOf(event.payment);
    const consent = signCancellation(devnet.chainId, { authorizer, nonce }, key);
    order(calls.cancel(authorizer, nonce, consent), issuer, gasPrice);
  }

  function walletMode(mode: "refuse" | "owner-signed"): void {
    const { address } = devnet.smartWallet;
    world.order({ to: address, data: calls.walletMode(mode), gasPrice: aheadPrice }, issuer);
  }

  return {
    async inject(event: TokenEvent): Promise<void> {
      switch (event.what) {
        case "drain":
          return drain(event.buyer);
        case "refill":
          return order(calls.mint(payerWallets.buyer(event.buyer).address, refillUnits));
        case "blacklist":
          return order(calls.blacklist(payerWallets.buyer(event.buyer).address));
        case "unblacklist":
          return order(calls.unBlacklist(payerWallets.buyer(event.buyer).address));
        case "pause":
          return order(calls.pause());
        case "unpause":
          return order(calls.unpause());
        case "wallet-refuses":
          return walletMode("refuse");
        case "wallet-accepts":
          return walletMode("owner-signed");
        case "cancel":
        case "front-run":
          return meddle(event);
        default:
          return event satisfies never;
      }
    },
    /** Ends what was done to the token and to the contract wallet. */
    heal(): void {
      // The end of a pause leaves a log, also where there was none: an issuer ends only what it began.
      if (hasPause(plan)) order(calls.unpause());
      for (const { address } of devnet.buyers.slice(0, plan.buyers)) {
        order(calls.unBlacklist(address));
        order(calls.mint(address, refillUnits));
      }
      walletMode("owner-signed");
    },
  };
}
