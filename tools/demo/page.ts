/** The demo's output for people: services, a line for each step, balances, a command to try. */
import { styleText } from "node:util";
import { formatUsdc } from "@farthing/protocol";
import type { Change } from "./balances.ts";
import { price } from "./paid-api.ts";
import type { DemoEnvironment } from "./environment.ts";
import { shorten, type Step } from "./watch-payment.ts";

/** Styles text on a terminal that has colours. */
function paint(style: "bold" | "dim" | "green" | "red", text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

/** The services and their addresses. */
export function environmentPage({
  devnet,
  network,
  facilitatorUrl,
  paidApi,
}: DemoEnvironment): string {
  const { rpcUrl, blockTimeSeconds } = devnet;
  const rows = [
    ["chain", rpcUrl, `${network.id}, a block every ${blockTimeSeconds} s`],
    ["facilitator", facilitatorUrl, "public surface, with an API key"],
    ["", `${facilitatorUrl}/api/facilitator`, "hosted surface, without an API key"],
    ["paid API", paidApi.publicUrl, `${price} USDC on the public surface`],
    ["", paidApi.hostedUrl, `${price} USDC on the hosted surface`],
  ] as const;
  const width = Math.max(...rows.map(([, url]) => url.length));
  return [
    "",
    paint("bold", "Farthing demo: an API paid in USDC, on a local test chain"),
    "",
    ...rows.map(([name, url, what]) => `  ${name.padEnd(12)} ${url.padEnd(width)}  ${what}`),
    "",
  ].join("\n");
}

/** The title of a payment. */
export function stepTitle(title: string, position: number): string {
  return `\n${paint("bold", `${position}. ${title}`)}\n`;
}

/** One step of a payment, `milliseconds` after its start. */
export function stepLine({ name, text, hash }: Step, milliseconds: number): string {
  const time = paint("dim", `${(milliseconds / 1000).toFixed(2).padStart(6)} s`);
  const isBad = name === "refused";
  const isGood = name === "settled" || name === "refunded";
  const padded = name.padEnd(8);
  const shown = isBad ? paint("red", padded) : isGood ? paint("green", padded) : padded;
  return `${time}  ${shown}  ${hash ?? text}\n`;
}

const weiPerCoin = 10n ** 18n;
/** Digits of gas that people compare: a payment costs about 0.001 XDC. */
const coinDecimals = 6n;

/** The balances before and after. */
export function balancesPage(changes: readonly Change[]): string {
  const rows = changes.map(({ before, after }) => {
    const isRelayer = before.holder === "relayer";
    const show = isRelayer ? formatCoin : formatUsdc;
    const pick = isRelayer ? "coinWei" : "usdcUnits";
    const difference = after[pick] - before[pick];
    return [
      before.holder,
      shorten(before.address),
      show(before[pick]),
      show(after[pick]),
      `${difference > 0n ? "+" : ""}${show(difference)}`,
      isRelayer ? "XDC for gas" : "USDC",
    ] as const;
  });
  const heads = ["", "", "before", "after", "change", ""] as const;
  const lines = [heads, ...rows].map(([holder, address, before, after, change, unit]) =>
    [
      "",
      holder.padEnd(15),
      address.padEnd(11),
      before.padStart(12),
      after.padStart(13),
      change.padStart(11),
      unit,
    ]
      .join("  ")
      .trimEnd(),
  );
  return `\n${paint("bold", "Balances")}\n${lines.join("\n")}\n`;
}

function formatCoin(wei: bigint): string {
  return formatUsdc(wei / (weiPerCoin / 10n ** coinDecimals));
}

/** What to try while the services run. */
export function invitation(tryLine: string): string {
  return [
    "",
    "The services keep running. To pay from another terminal, run in this folder:",
    "",
    `  ${tryLine}`,
    "",
    paint("dim", "The key is a public test key of this chain. Ctrl-C stops everything."),
    "",
    "",
  ].join("\n");
}
