/**
 * The page for paying in a browser: the terms, readable without a script, and the script that finds
 * the wallet, requests the signature and shows the content. It loads nothing, and escapes all text
 * of the seller.
 */
import {
  decodeHeader,
  escapeHtml,
  headerNames,
  shellCommand,
  shellUrl,
  shortUsdc,
  type Requirements,
} from "@farthing/protocol";
import type { ChallengeTerms } from "../responses.ts";
import { script, scriptHash, style, styleHash, texts } from "./generated/page-parts.ts";
import { languageNames, languages, type Language } from "./language.ts";
import { iconSource, type PaywallOptions } from "./paywall-options.ts";

/**
 * The page may run its own script, use its own style and call its own origin. Icons of wallets are
 * `data:` images, bought images are shown from memory; the seller's icon may be at one address.
 */
const policyFor = (icon: string | undefined) =>
  [
    "default-src 'none'",
    `script-src '${scriptHash}'`,
    `style-src '${styleHash}'`,
    "connect-src 'self'",
    ["img-src data: blob:", icon && iconSource(icon)].filter(Boolean).join(" "),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

type Texts = (typeof texts)[Language];

export function toPage(
  challenge: Response,
  terms: ChallengeTerms,
  options: PaywallOptions,
  language: Language,
  nowMs: number,
): Response {
  const headers = new Headers(challenge.headers);
  headers.set("Content-Type", "text/html; charset=utf-8");
  headers.set("Content-Security-Policy", policyFor(options.icon));
  headers.set("Content-Language", language);
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Referrer-Policy", "same-origin");
  const said = decodeHeader(headers.get(headerNames.paymentRequired))?.value;
  return new Response(write(said, terms, options, language, nowMs), {
    status: challenge.status,
    headers,
  });
}

function write(
  said: unknown,
  { offers, resource }: ChallengeTerms,
  options: PaywallOptions,
  language: Language,
  nowMs: number,
): string {
  const { server, ...forScript } = texts[language];
  const { decimal } = forScript;
  const { host } = new URL(resource.url);
  const { description } = resource;
  const title = description ?? server.title;
  const networks = offers.map(({ network }) => forScript.networks[network.chainId]).join(server.or);
  const [first] = offers;
  return `<!doctype html>
<html lang="${language}">
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
<p class="seller">${writeSeller(options)}<span id="host">${escapeHtml(host)}</span></p>
<h1${description === undefined ? ' class="plain"' : ""}>${escapeHtml(title)}</h1>
<p class="price">${first === undefined ? "" : writeAmount(first.amount, decimal)}</p>
<dl class="facts">
<div><dt>${server.paidTo}</dt><dd class="copied">${writeAddress(first?.payTo ?? "")}</dd></div>
<div><dt>${server.network}</dt><dd>${escapeHtml(networks)}</dd></div>
<div><dt>${server.fee}</dt><dd>${server.noFee}</dd></div>${first === undefined ? "" : writeBought(first, texts[language])}
</dl>
</header>
<section id="flow">
<p>${server.noScript}</p>
</section>
<details id="program" open>
<summary>${server.program}</summary>
<p>${server.programHow}</p>
<pre id="copy-command" tabindex="0">${escapeHtml(shellCommand(["npx", "farthing", "pay", shellUrl(resource.url)]))}</pre>
</details>
${options.language === undefined ? writeLanguages(language) : ""}
</main>
<p id="live" role="status"></p>
<script type="application/json" id="challenge" data-now="${nowMs}">${toScriptJson(said)}</script>
<script type="application/json" id="texts">${toScriptJson(forScript)}</script>
<script>${script}</script>
</body>
</html>
`;
}

/** Escapes `<`, so that nothing can end a `<script type="application/json">`. */
function toScriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

function writeAmount(units: bigint, decimal: string): string {
  return `${shortUsdc(units, decimal)} <span class="unit" id="copy-amount" data-value="${shortUsdc(units)}">USDC</span>`;
}

/** Shown by the script, without which they would do nothing. */
function writeLanguages(shown: Language): string {
  const others = languages.filter((one) => one !== shown);
  const buttons = others.map(
    (one) => `<button type="button" lang="${one}" hidden>${languageNames[one]}</button>`,
  );
  return `<p id="languages">${buttons.join(" ")}</p>`;
}

/** Icon and name, as far as the seller has stated them. */
function writeSeller({ name, icon }: PaywallOptions): string {
  const picture = `<img class="icon" src="${escapeHtml(icon ?? "")}" alt="" referrerpolicy="no-referrer"> `;
  const title = `<strong>${escapeHtml(name ?? "")}</strong> `;
  return `${icon === undefined ? "" : picture}${name === undefined ? "" : title}`;
}

/** What the payment buys beside this one response. */
function writeBought({ pass, balance }: Requirements, { server, decimal }: Texts): string {
  const bought = pass
    ? fill(server.pass, { uses: pass.uses, time: writeDuration(pass.validForSeconds, server) })
    : balance &&
      fill(server.balance, {
        amount: `${shortUsdc(balance.reserve, decimal)} USDC`,
      });
  return bought === undefined ? "" : `\n<div><dt>${server.buys}</dt><dd>${bought}</dd></div>`;
}

/** In the largest unit that shows the whole time. */
function writeDuration(seconds: number, server: Texts["server"]): string {
  const [size, one, many] = units.find(([size]) => seconds % size === 0) ?? inSeconds;
  const count = seconds / size;
  return count === 1 ? server[one] : fill(server[many], { count });
}

const inSeconds = [1, "second", "seconds"] as const;

const units = [
  [86_400, "day", "days"],
  [3_600, "hour", "hours"],
  [60, "minute", "minutes"],
] as const;

/** Puts values into a text of the page. */
function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => `${values[name] ?? ""}`);
}

function writeAddress(address: string): string {
  const short = `${address.slice(0, 6)}…${address.slice(-4)}`;
  return `<details class="address" id="copy-address" data-value="${address}"><summary><code>${short}</code></summary><code>${address}</code></details>`;
}
