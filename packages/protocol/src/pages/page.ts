/**
 * The frame of the pages that the facilitator and the gateway write: one file without requests to
 * anything else. A script adds buttons that copy; everything else works without it.
 */
import * as Hash from "ox/Hash";
import { html, type Html } from "./html.ts";

export interface PageParts {
  readonly title: string;
  /** For search engines and previews. */
  readonly description: string;
  /** The absolute address under which search engines keep the page; without one they skip it. */
  readonly canonical?: string | undefined;
  readonly links: readonly { readonly href: string; readonly text: string }[];
  readonly body: Html;
}

const style = `
:root{color-scheme:light dark;--ground:light-dark(#f7f5f2,#161412);--surface:light-dark(#fff,#1f1c19);--sunken:light-dark(#f3f0ec,#191614);--line:light-dark(#e4dfd8,#37312b);--edge:light-dark(#8d857b,#7d7468);--ink:light-dark(#211d19,#eee9e2);--muted:light-dark(#665e55,#a89f94);--accent:light-dark(#96471f,#e9a177);--fill:light-dark(#96471f,#b65c2f);--good:light-dark(#1d6841,#7cc79c);--good-ground:light-dark(#e6f3ea,#18291f);--warn:light-dark(#7a4f00,#e8bd63);--warn-ground:light-dark(#fdf3da,#2e2614);--bad:light-dark(#a12626,#f09a94);--mono:ui-monospace,"SF Mono","Cascadia Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
*,::before,::after{box-sizing:border-box}
html{font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;color:var(--ink);background:var(--ground);-webkit-text-size-adjust:none;text-size-adjust:none}
body,h1,h2,h3,p,ul,dl,dd,pre,form{margin:0;padding:0}
ul{list-style:none}
a{color:var(--accent);text-underline-offset:2px}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
code,pre{font-family:var(--mono);font-size:.92em;font-variant-ligatures:none}
.bar{display:flex;flex-wrap:wrap;gap:6px 22px;align-items:center;padding:14px max(20px,calc(50vw - 500px));border-bottom:1px solid var(--line);background:var(--surface)}
.brand{display:flex;gap:9px;align-items:center;margin-right:auto;color:var(--ink);font-size:17px;font-weight:640;text-decoration:none}
.brand svg{color:var(--accent)}
main{display:grid;grid-template-columns:minmax(0,1fr);gap:24px;max-width:1040px;margin:0 auto;padding:32px 20px 64px}
h1{font-size:28px;line-height:1.2;font-weight:660;letter-spacing:-.015em;text-wrap:balance}
h2{font-size:18px;line-height:1.3;font-weight:640;overflow-wrap:anywhere}
h3{font-size:15px;font-weight:640}
.lead{max-width:68ch;margin-top:10px;font-size:17px;color:var(--muted)}
.lead+.text{margin-top:12px}
.muted{color:var(--muted)}
.card{display:grid;grid-template-columns:minmax(0,1fr);gap:12px;align-content:start;padding:18px 20px;border:1px solid var(--line);border-radius:12px;background:var(--surface)}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,290px),1fr));gap:16px}
.head{display:flex;flex-wrap:wrap;gap:6px 16px;align-items:baseline;justify-content:space-between}
.price{font-size:18px;font-weight:640;white-space:nowrap;font-variant-numeric:tabular-nums}
.badge{display:inline-block;padding:1px 10px;border-radius:99px;font-size:13px;font-weight:560;white-space:nowrap}
.good{color:var(--good);background:var(--good-ground)}
.warn{color:var(--warn);background:var(--warn-ground)}
.plain{color:var(--muted);background:var(--sunken);box-shadow:inset 0 0 0 1px var(--line)}
.facts{display:grid;grid-template-columns:minmax(96px,auto) minmax(0,1fr);gap:6px 18px}
.facts dt{color:var(--muted)}
.facts dd,.text,.address{overflow-wrap:anywhere}
.text{white-space:pre-line;max-width:80ch}
.row{display:flex;flex-wrap:wrap;gap:6px 10px;align-items:center}
.command{position:relative}
pre{padding:11px 14px;border-radius:8px;background:var(--sunken);box-shadow:inset 0 0 0 1px var(--line);white-space:pre-wrap;overflow-wrap:anywhere}
.command button{position:absolute;top:6px;right:6px}
.command:has(button) pre{padding-right:88px;min-height:46px}
form[role=search]{grid-template-columns:repeat(auto-fit,minmax(min(100%,190px),1fr));gap:12px;align-items:end}
label{display:grid;gap:4px;font-size:14px;color:var(--muted)}
input,select{width:100%;min-height:38px;padding:6px 10px;border:1px solid var(--edge);border-radius:6px;font:inherit;color:var(--ink);background:var(--surface)}
button{min-height:34px;padding:4px 14px;border:1px solid var(--edge);border-radius:6px;font:inherit;font-size:14px;font-weight:560;color:var(--ink);background:var(--surface);cursor:pointer}
.action{display:inline-block;padding:7px 16px;border-radius:6px;color:#fff;background:var(--fill);font-weight:560;text-decoration:none}
form button{min-height:38px;border-color:var(--fill);color:#fff;background:var(--fill)}
.card>button{justify-self:start}
form[role=search] button{justify-self:stretch}
.chart{display:grid;gap:6px;margin:0}
.chart svg{display:block;width:100%;height:76px;border-bottom:1px solid var(--edge);background:var(--sunken)}
.legend{display:flex;flex-wrap:wrap;gap:0 14px;font-size:13px}
.legend i{display:inline-block;width:10px;height:10px;border-radius:2px}
.ok{fill:var(--good);background:var(--good)}
.no{fill:var(--bad);background:var(--bad)}
.mid{fill:var(--fill);background:var(--fill)}
.tail{fill:var(--edge);background:var(--edge)}
.ends{display:flex;justify-content:space-between;font-size:13px}
summary{cursor:pointer;font-size:14px}
table{width:100%;margin-top:8px;border-collapse:collapse;font-variant-numeric:tabular-nums}
td,time{white-space:nowrap}
th,td{padding:4px 12px 4px 0;border-bottom:1px solid var(--line);text-align:left}
th{color:var(--muted);font-weight:560}
.pages{display:flex;gap:20px;justify-content:space-between}
footer{padding:18px max(20px,calc(50vw - 500px));border-top:1px solid var(--line);color:var(--muted);font-size:14px}
@media (width<560px){.brand{flex-basis:100%}main{padding-top:24px}h1{font-size:24px}.facts{grid-template-columns:minmax(0,1fr);gap:0}.facts dd{margin-bottom:8px}.card{padding:16px}}
`;

const script = `
if (navigator.clipboard) for (const pre of document.querySelectorAll(".command pre")) {
  const button = document.createElement("button");
  const say = (text) => { button.textContent = text; };
  button.type = "button";
  button.textContent = "Copy";
  button.setAttribute("aria-live", "polite");
  button.onclick = () => navigator.clipboard.writeText(pre.textContent).then(() => say("Copied"), () => say("Failed"));
  pre.after(button);
}
`;

const mark =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="14" fill="none" stroke="#b0562a" stroke-width="3"/><path d="M16 16V6a10 10 0 0 1 10 10z" fill="#b0562a"/></svg>';

/** The icon of every page, inside the page. */
export const iconLink = html`<link
  rel="icon"
  type="image/svg+xml"
  href="data:image/svg+xml,${encodeURIComponent(mark)}"
/>`;

/** Allows the page's own style and script only; `form-action` is for a search on the same page. */
export function htmlPageHeaders() {
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  return {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": policy.join("; "),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
  };
}

function hashOf(text: string): string {
  const bytes = Hash.sha256(new TextEncoder().encode(text), { as: "Bytes" });
  return `sha256-${btoa(String.fromCharCode(...bytes))}`;
}

export function writePage({ title, description, canonical, links, body }: PageParts): string {
  const indexing =
    canonical === undefined
      ? html`<meta name="robots" content="noindex" />`
      : html`<link rel="canonical" href="${canonical}" />
          <meta property="og:url" content="${canonical}" />`;
  const page = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>${title}</title>
      <meta name="description" content="${description}" />
      <meta property="og:title" content="${title}" />
      <meta property="og:description" content="${description}" />
      ${indexing} ${iconLink}
    </head>
    <body>
      <header class="bar">
        <a class="brand" href="/">
          <svg width="22" height="22" viewBox="0 0 32 32" aria-hidden="true">
            <circle cx="16" cy="16" r="14" fill="none" stroke="currentColor" stroke-width="3" />
            <path d="M16 16V6a10 10 0 0 1 10 10z" fill="currentColor" />
          </svg>
          Farthing
        </a>
        ${links.map(({ href, text }) => html`<a href="${href}">${text}</a>`)}
      </header>
      <main>${body}</main>
      <footer>Farthing: x402 payments in USDC on XDC.</footer>
    </body>
  </html>`.text;
  // Not part of the template, because their hashes are in the policy.
  return `<!doctype html>\n${page
    .replaceAll(/\n\s+/g, "\n")
    .replace("</head>", () => `<style>${style}</style></head>`)
    .replace(/<\/body>\s*<\/html>$/, () => `<script>${script}</script></body></html>`)}\n`;
}

/** A command that the page's script offers to copy. */
export function commandBlock(command: string): Html {
  // The text of a preformatted element begins behind its tag.
  return html`<div class="command"><pre tabindex="0">${command}</pre></div>`;
}
