/**
 * The page for paying in a browser: the terms, readable without a script, and the script that finds
 * the wallet, requests the signature and shows the content. It loads nothing, and escapes all text
 * of the seller.
 */
import {
  apothem,
  decodeHeader,
  escapeHtml,
  headerNames,
  shortUsdc,
  type Network,
  type Requirements,
} from "@farthing/protocol";
import type { PaywallOptions } from "../configuration.ts";
import type { ChallengeTerms } from "../responses.ts";
import { script, scriptHash, style, styleHash } from "./generated/page-parts.ts";

/**
 * The page may run its own script, use its own style and call its own origin. Icons of wallets are
 * `data:` images, bought images are shown from memory.
 */
const policy = [
  "default-src 'none'",
  `script-src '${scriptHash}'`,
  `style-src '${styleHash}'`,
  "connect-src 'self'",
  "img-src data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export function toPage(
  challenge: Response,
  terms: ChallengeTerms,
  options: PaywallOptions,
  nowMs: number,
): Response {
  const headers = new Headers(challenge.headers);
  headers.set("Content-Type", "text/html; charset=utf-8");
  headers.set("Content-Security-Policy", policy);
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Referrer-Policy", "same-origin");
  const said = decodeHeader(headers.get(headerNames.paymentRequired))?.value;
  return new Response(write(said, terms, options, nowMs), { status: challenge.status, headers });
}

function write(
  said: unknown,
  { offers, resource }: ChallengeTerms,
  { name }: PaywallOptions,
  nowMs: number,
): string {
  const { host } = new URL(resource.url);
  const { description } = resource;
  const title = description ?? "Pay to open this page";
  const networks = offers.map(({ network }) => nameOf(network)).join(" or ");
  const [first] = offers;
  const seller = name === undefined ? "" : `<strong>${escapeHtml(name)}</strong> `;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<header id="offer">
<p class="seller">${seller}<span id="host">${escapeHtml(host)}</span></p>
<h1${description === undefined ? ' class="plain"' : ""}>${escapeHtml(title)}</h1>
<p class="price">${first === undefined ? "" : writeAmount(first.amount)}</p>
<dl class="facts">
<div><dt>Paid to</dt><dd class="copied">${writeAddress(first?.payTo ?? "")}</dd></div>
<div><dt>Network</dt><dd>${escapeHtml(networks)}</dd></div>
<div><dt>Network fee</dt><dd>none for you</dd></div>${first === undefined ? "" : writeBought(first)}
</dl>
</header>
<section id="flow">
<p>This page asks your wallet for one signature. For that it needs its script, which is not running here.</p>
</section>
<details id="program" open>
<summary>Pay from a program</summary>
<p>The same address takes x402 payments from programs. From a shell:</p>
<pre id="command" tabindex="0" data-copy="command">npx farthing pay ${escapeHtml(quoteForShell(resource.url))}</pre>
</details>
</main>
<p id="live" role="status"></p>
<script type="application/json" id="challenge" data-now="${nowMs}">${toScriptJson(said)}</script>
<script>${script}</script>
</body>
</html>
`;
}

/** Escapes `<`, so that nothing can end a `<script type="application/json">`. */
function toScriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

function writeAmount(units: bigint): string {
  const amount = shortUsdc(units);
  return `${amount} <span class="unit" data-copy="amount" data-value="${amount}">USDC</span>`;
}

/** What the payment buys beside this one response. */
function writeBought({ pass, balance }: Requirements): string {
  const bought = pass
    ? `${pass.uses} visits within ${writeDuration(pass.validForSeconds)}`
    : balance && `a balance; a visit costs at most ${shortUsdc(balance.reserve)} USDC`;
  return bought === undefined ? "" : `\n<div><dt>Buys</dt><dd>${bought}</dd></div>`;
}

/** In the largest unit that shows the whole time. */
function writeDuration(seconds: number): string {
  const [size, unit] = units.find(([size]) => seconds % size === 0) ?? [1, "second"];
  const count = seconds / size;
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

const units = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
] as const;

/** As people call the network, so that nobody takes test money for money. */
function nameOf({ chainId }: Network): string {
  return chainId === apothem.chainId ? "Apothem test network" : "XDC";
}

function writeAddress(address: string): string {
  const short = `${address.slice(0, 6)}…${address.slice(-4)}`;
  return `<details class="address" data-copy="address" data-value="${address}"><summary><code>${short}</code></summary><code>${address}</code></details>`;
}

/** A shell takes all of a quoted text literally but the quote, which URLs can escape. */
function quoteForShell(url: string): string {
  return `'${url.replaceAll("'", "%27")}'`;
}
