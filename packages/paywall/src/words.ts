/** Formats amounts, addresses, times and networks. */
import { explorerLink, shortUsdc, type Address, type Hex, type Network } from "@farthing/protocol";
import { copyButton } from "./copy-button.ts";
import { el } from "./screen.ts";
import { fill, parts, texts } from "./texts.ts";

/** `0x2096…287C` */
export function shortAddress(address: Address): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}

/** The whole address can be unfolded, and copied. */
export function address(whole: Address): HTMLElement {
  return el(
    "div",
    { class: "copied" },
    el(
      "details",
      { class: "address" },
      el("summary", {}, el("code", {}, shortAddress(whole))),
      el("code", {}, whole),
    ),
    copyButton("address", whole),
  );
}

/** `0.01 USDC`, in Spanish `0,01 USDC`: all digits that count, and no more. */
export function usdc(units: bigint): string {
  return `${shortUsdc(units, texts.decimal)} USDC`;
}

/** The amount with a button that copies its number. */
export function amount(units: bigint): HTMLElement {
  return el(
    "div",
    { class: "copied" },
    el("strong", {}, usdc(units)),
    copyButton("amount", shortUsdc(units)),
  );
}

/** As people call the network, so that nobody takes test money for money. */
export function networkName({ chainId }: Network): string {
  return texts.networks[chainId];
}

/** `2 minutes`, `90 seconds` */
export function duration(seconds: number): string {
  const minutes = seconds / 60;
  const { terms } = texts;
  if (seconds < 60 || !Number.isInteger(minutes)) return fill(terms.seconds, { count: seconds });
  return minutes === 1 ? terms.minute : fill(terms.minutes, { count: minutes });
}

const tickMs = 1000;

/** The seconds that are left, as long as the page shows them. A timer is not read aloud as it runs. */
export function timeLeft(untilMs: number): HTMLElement {
  const line = el("p", { role: "timer" });
  const tick = () => {
    const seconds = Math.max(0, Math.ceil((untilMs - Date.now()) / 1000));
    line.textContent = fill(texts.wallets.timeLeft, { seconds });
  };
  tick();
  const timer = setInterval(() => (line.isConnected ? tick() : clearInterval(timer)), tickMs);
  return line;
}

/** Local time, from Unix seconds. */
export function timeOfDay(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString(document.documentElement.lang);
}

export function transactionLink(network: Network, transaction: Hex): HTMLElement {
  const href = explorerLink(network, transaction, location.host);
  if (href === undefined) return el("code", { class: "whole" }, transaction);
  const attributes = { href, target: "_blank", rel: "noreferrer" };
  const name = el("code", {}, shortAddress(transaction));
  return el("a", attributes, ...parts(texts.terms.onExplorer, { transaction: name }));
}
