/** Formats amounts, addresses, times and networks. */
import { explorerLink, formatUsdc, type Address, type Hex, type Network } from "@farthing/protocol";
import { el } from "./screen.ts";

/** `0x2096…287C` */
export function shortAddress(address: Address): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}

/** The whole address can be unfolded. */
export function address(whole: Address): HTMLElement {
  return el(
    "details",
    { class: "address" },
    el("summary", {}, el("code", {}, shortAddress(whole))),
    el("code", {}, whole),
  );
}

/** `0.010000 USDC` */
export function usdc(units: bigint): string {
  return `${formatUsdc(units)} USDC`;
}

/** `2 minutes`, `90 seconds` */
export function duration(seconds: number): string {
  const minutes = seconds / 60;
  if (seconds < 60 || !Number.isInteger(minutes)) return `${seconds} seconds`;
  return minutes === 1 ? "1 minute" : `${minutes} minutes`;
}

/** Local time, from Unix seconds. */
export function timeOfDay(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString();
}

export function transactionLink(network: Network, transaction: Hex): HTMLElement {
  const href = explorerLink(network, transaction);
  const attributes = { href, target: "_blank", rel: "noreferrer" };
  return el("a", attributes, el("code", {}, shortAddress(transaction)), " on the explorer");
}
