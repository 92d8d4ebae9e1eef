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
<h2>What happens</h2>
<table>
<thead><tr><th>Time</th><th>Step</th><th>What</th></tr></thead>
<tbody id="events"></tbody>
</table>
<p id="none">Nothing yet. Press the button, or open <a href="${escapeHtml(gatewayUrl)}">the gateway</a>.</p>
</main>
</body>
</html>
`;
}

export const pageStyle = `:root { color-scheme: light dark; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
form { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: end; }
label { display: grid; gap: 0.25rem; }
label:has(#target) { flex: 1 1 16rem; }
#body-label { flex-basis: 100%; }
[hidden] { display: none !important; }
input, select, textarea, button { font: inherit; padding: 0.4rem 0.6rem; }
pre, code, td { overflow-wrap: anywhere; }
pre { white-space: pre-wrap; max-height: 20rem; overflow: auto; border: 1px solid; padding: 0.75rem; }
table { width: 100%; border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.75rem 0.25rem 0; border-bottom: 1px solid; }
td:first-child { white-space: nowrap; font-variant-numeric: tabular-nums; }
`;

/** The function's own text, so that types check it and no build step has to carry a file along. */
export const pageScript = `(${showDevPage.toString()})();\n`;

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
