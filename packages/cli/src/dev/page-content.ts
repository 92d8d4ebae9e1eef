/** The page of `farthing dev`: its text, style and script. It loads nothing from elsewhere. */
import { showDevPage } from "./page-script.ts";

export interface PageFacts {
  readonly gatewayUrl: string;
  readonly apiUrl: string;
  readonly price: string;
}

export function pageHtml({ gatewayUrl, apiUrl, price }: PageFacts): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Farthing dev</title>
<link rel="stylesheet" href="/page.css">
<script src="/page.js" defer></script>
</head>
<body>
<main>
<h1>Farthing dev</h1>
<p><code>${escapeHtml(gatewayUrl)}</code> sells <code>${escapeHtml(apiUrl)}</code> for ${escapeHtml(price)} USDC a request, on a local chain with test money.</p>
<form id="form">
<label>Method <select id="method"><option>GET</option><option>POST</option><option>PUT</option><option>PATCH</option><option>DELETE</option></select></label>
<label>Path <input id="target" value="/" required pattern="/.*" maxlength="2048" spellcheck="false"></label>
<label id="body-label" hidden>Body, as JSON <textarea id="body" rows="3" spellcheck="false"></textarea></label>
<button>Pay ${escapeHtml(price)} USDC</button>
</form>
<section aria-live="polite"><h2 id="result-title" hidden>Response</h2><pre id="result" tabindex="0" hidden></pre></section>
<section class="card"><h2>What happens</h2>
<table>
<thead><tr><th>Time</th><th>Step</th><th>What</th></tr></thead>
<tbody id="events"></tbody>
</table>
<p id="none">Nothing yet. Press the button, or open <a href="${escapeHtml(gatewayUrl)}">the gateway</a>.</p>
</section>
</main>
</body>
</html>
`;
}

/** The colours of the other pages. Words break in the last column only, which has addresses. */
export const pageStyle = `:root { color-scheme: light dark; --ground: light-dark(#f7f5f2, #161412); --surface: light-dark(#fff, #1f1c19); --sunken: light-dark(#f3f0ec, #191614); --line: light-dark(#e4dfd8, #37312b); --edge: light-dark(#8d857b, #7d7468); --ink: light-dark(#211d19, #eee9e2); --muted: light-dark(#665e55, #a89f94); --accent: light-dark(#96471f, #e9a177); --fill: light-dark(#96471f, #b65c2f); }
*, ::before, ::after { box-sizing: border-box; }
body { margin: 0; font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; color: var(--ink); background: var(--ground); }
main { display: grid; grid-template-columns: minmax(0, 1fr); gap: 20px; max-width: 1000px; margin: 0 auto; padding: 28px 20px 64px; }
h1, h2, p { margin: 0; }
h1 { font-size: 26px; line-height: 1.2; letter-spacing: -0.015em; }
h2 { margin-bottom: 10px; font-size: 17px; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
code, pre { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 0.92em; overflow-wrap: anywhere; }
form, .card { padding: 18px 20px; border: 1px solid var(--line); border-radius: 12px; background: var(--surface); }
form { display: flex; flex-wrap: wrap; gap: 12px; align-items: end; }
label { display: grid; gap: 4px; font-size: 14px; color: var(--muted); }
label:has(#target) { flex: 1 1 16rem; }
#body-label { flex-basis: 100%; }
[hidden] { display: none !important; }
input, select, textarea { width: 100%; min-height: 38px; padding: 6px 10px; border: 1px solid var(--edge); border-radius: 6px; font: inherit; color: var(--ink); background: var(--surface); }
button { min-height: 38px; padding: 6px 16px; border: 0; border-radius: 6px; font: inherit; font-weight: 560; color: #fff; background: var(--fill); cursor: pointer; }
pre { margin: 0; white-space: pre-wrap; max-height: 20rem; overflow: auto; padding: 12px 14px; border: 1px solid var(--line); border-radius: 8px; background: var(--sunken); }
table { width: 100%; border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: 7px 16px 7px 0; border-bottom: 1px solid var(--line); }
th { font-size: 13px; color: var(--muted); }
tbody tr:last-child td { border-bottom: 0; }
td:not(:last-child) { white-space: nowrap; font-variant-numeric: tabular-nums; color: var(--muted); }
td:last-child { width: 100%; padding-right: 0; overflow-wrap: anywhere; }
#none { margin-top: 10px; }
@media (width < 560px) { td:first-child, th:first-child { display: none; } }
`;

/** The function's own text, so that types check it and no build step has to carry a file along. */
export const pageScript = `(${showDevPage.toString()})();\n`;

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
