/** The page as it leaves the server: whom it is for, what it may do, what is in it. */
import { createHash } from "node:crypto";
import { decodeHeader, headerNames, parseChallenge, readRequestBinding } from "@farthing/protocol";
import { describe, expect, test } from "vitest";
import { createSeller, type Facilitator, type SellerOptions } from "../index.ts";

const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";
const browser = { Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

/** Never asked: nothing here is paid. */
const noFacilitator: Facilitator = {
  verify: () => Promise.reject(new Error("asked")),
  settle: () => Promise.reject(new Error("asked")),
  settlement: () => Promise.reject(new Error("asked")),
};

const visit = (init: RequestInit, options: Partial<SellerOptions> = {}, path = "/report") => {
  const seller = createSeller({ facilitator: noFacilitator, payTo, price: "0.0123", ...options });
  const request = new Request(`https://api.example.com${path}`, init);
  return seller.charge(request, () => new Response("never")).then(({ response }) => response);
};

describe("who gets the page", () => {
  test("a browser does, with the status and the headers of the challenge", async () => {
    const page = await visit({ headers: browser });
    const program = await visit({});
    expect(page.status).toBe(402);
    expect(page.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    for (const name of ["Cache-Control", "Vary"]) {
      expect([name, page.headers.get(name)]).toEqual([name, program.headers.get(name)]);
    }
    expect(page.headers.get("Cache-Control")).toBe("no-store");
    const [ours, theirs] = [page, program].map((response) => {
      const required = decodeHeader(response.headers.get(headerNames.paymentRequired))?.value;
      const parsed = parseChallenge(required);
      if (!parsed.ok) throw new Error(parsed.refusal.message);
      return parsed.value;
    });
    // The token is fresh for each of them, and all else is the same.
    expect(readRequestBinding(ours?.extensions)).not.toEqual(
      readRequestBinding(theirs?.extensions),
    );
    expect({ ...ours, extensions: {} }).toEqual({ ...theirs, extensions: {} });
    expect(page.headers.get("Vary")).toMatch(/\bAccept\b/);
  });

  test.each([
    ["a program", {}, {}],
    ["a HEAD", { method: "HEAD", headers: browser }, {}],
    ["a form that was posted", { method: "POST", headers: browser }, {}],
    ["a browser, when the page is off", { headers: browser }, { paywall: false }],
    ["whoever pays", { headers: { ...browser, "PAYMENT-SIGNATURE": "e30=" } }, {}],
  ] as const)("%s does not", async (_name, init, options) => {
    const answer = await visit(init, options);
    expect(answer.status).toBe(402);
    expect(answer.headers.get("Content-Type")).toBe("application/json");
    expect(answer.headers.get("Content-Security-Policy")).toBeNull();
  });
});

describe("what is in it", () => {
  const hostile = `</script><script>alert(1)</script><img src=x onerror=alert(1)>"'&`;

  test("its script and its style, as the policy knows them, and no other host", async () => {
    const page = await visit({ headers: browser });
    const policy = page.headers.get("Content-Security-Policy") ?? "";
    const text = await page.text();
    const hashOf = (tag: string) => {
      const inside = new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(text)?.[1] ?? "";
      return `'sha256-${createHash("sha256").update(inside).digest("base64")}'`;
    };
    expect(policy.split("; ")).toEqual([
      "default-src 'none'",
      `script-src ${hashOf("script")}`,
      `style-src ${hashOf("style")}`,
      "connect-src 'self'",
      "img-src data: blob:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(text).not.toMatch(/(src|href|action)="https?:/);
    expect(Buffer.byteLength(text)).toBeLessThan(75_000);
    const spanish = await visit({ headers: { ...browser, "Accept-Language": "es" } });
    expect(Buffer.byteLength(await spanish.text())).toBeLessThan(75_000);
  });

  test("the challenge, word for word; and what strangers wrote only as text", async () => {
    const page = await visit({ headers: browser }, { description: hostile }, `/r?q='${hostile}`);
    const text = await page.text();
    const [, json = ""] =
      /<script type="application\/json"[^>]*>([^]*?)<\/script>/.exec(text) ?? [];
    const header = decodeHeader(page.headers.get(headerNames.paymentRequired));
    expect(JSON.parse(json)).toEqual(header?.value);
    expect(json).not.toContain("<");
    expect(text.match(/<script/g)).toHaveLength(3);
    expect(text).not.toContain("<img");
  });

  test("the terms and a command for people without a wallet, quoted for any shell", async () => {
    const path = "/it's?a=$b&calc=x";
    const page = await visit({ headers: browser }, { paywall: { name: "Weather Ltd" } }, path);
    const text = await page.text();
    expect(text).toContain("Weather Ltd");
    expect(text).toContain(">0.0123 <span");
    expect(text).toContain(payTo);
    expect(text).toContain(
      "npx farthing pay &quot;https://api.example.com/it%27s?a=%24b&amp;calc=x&quot;",
    );
  });
});

describe("its language", () => {
  test.each([
    ["en", {}, {}],
    ["es", { "Accept-Language": "es-MX,es;q=0.9,en;q=0.8" }, {}],
    ["en", { "Accept-Language": "es" }, { language: "en" }],
    ["es", {}, { language: "es" }],
  ] as const)("%s for %j with %j", async (language, headers, paywall) => {
    const page = await visit({ headers: { ...browser, ...headers } }, { paywall });
    const text = await page.text();
    expect(page.headers.get("Content-Language")).toBe(language);
    expect(text).toContain(`<html lang="${language}">`);
    expect(text).toContain({ en: "<dt>Paid to</dt>", es: "<dt>Se paga a</dt>" }[language]);
    // The script gets the texts of one language only.
    expect(text).toContain({ en: "Choose your wallet", es: "Elige tu monedero" }[language]);
    expect(text).not.toContain({ es: "Choose your wallet", en: "Elige tu monedero" }[language]);
    const isChosen = "language" in paywall;
    expect((page.headers.get("Vary") ?? "").includes("Accept-Language")).toBe(!isChosen);
  });
});

test("a reader changes the language: a button, and the cookie that it writes", async () => {
  const first = await (await visit({ headers: browser }, {})).text();
  expect(first).toContain('<button type="button" lang="es" hidden>Español</button>');
  const Cookie = "session=1; farthing-language=es";
  const page = await visit({ headers: { ...browser, Cookie } }, {});
  expect([page.headers.get("Content-Language"), page.headers.get("Vary")]).toEqual([
    "es",
    expect.stringContaining("Cookie"),
  ]);
  expect(await page.text()).toContain('<button type="button" lang="en" hidden>English</button>');
  // A seller who has chosen the language has chosen it for everybody.
  const fixed = await visit({ headers: { ...browser, Cookie } }, { paywall: { language: "en" } });
  expect(fixed.headers.get("Content-Language")).toBe("en");
  expect(await fixed.text()).not.toContain('<button type="button" lang');
  const forged = { ...browser, Cookie: "farthing-language=<b>" };
  expect((await visit({ headers: forged }, {})).headers.get("Content-Language")).toBe("en");
});

test("amounts in Spanish have a comma, and what is copied keeps its point", async () => {
  const page = await visit({ headers: browser }, { paywall: { language: "es" } });
  const text = await page.text();
  expect(text).toContain(
    '>0,0123 <span class="unit" id="copy-amount" data-value="0.0123">USDC</span>',
  );
});

describe("the seller's icon", () => {
  const data = "data:image/png;base64,iVBORw0KGgo=";

  test.each([
    [data, "img-src data: blob:"],
    [
      "https://cdn.example/a%20b/icon.png",
      "img-src data: blob: https://cdn.example/a%20b/icon.png",
    ],
  ])("%s stands beside the name, and the policy allows no other image", async (icon, allowed) => {
    const page = await visit({ headers: browser }, { paywall: { name: "Weather Ltd", icon } });
    const policy = page.headers.get("Content-Security-Policy") ?? "";
    expect(policy.split("; ")).toContain(allowed);
    expect(await page.text()).toContain(
      `<img class="icon" src="${icon}" alt="" referrerpolicy="no-referrer"> <strong>Weather Ltd</strong>`,
    );
  });

  test.each([
    "",
    7,
    "icon.png",
    "http://cdn.example/icon.png",
    "https://user:pass@cdn.example/icon.png",
    "https://cdn.example/icon.png?size=1",
    "https://cdn.example/icon.png#a",
    "https://cdn.example/i;script-src *",
    "https://cdn.example/a,b",
    "https://cdn.example/*",
    `https://cdn.example/${"x".repeat(500)}`,
    "javascript:alert(1)",
    "data:text/html;base64,PGI+",
    "data:image/png,raw",
    'data:image/png;base64,iVBORw0KGgo=" onload="alert(1)',
    `data:image/png;base64,${"A".repeat(16 * 1024)}`,
  ])("%j is refused at the start", (icon) => {
    const paywall = JSON.parse(JSON.stringify({ icon }));
    expect(() => visit({}, { paywall })).toThrow(/^paywall\.icon must be /);
  });
});

test.each([
  { language: "fr" },
  { language: "" },
  { name: "" },
  { name: "x".repeat(201) },
  { name: 7 },
  true,
  "Weather",
])("a setting that cannot be is refused at the start: %j", (paywall) => {
  expect(() => visit({}, JSON.parse(JSON.stringify({ paywall })))).toThrow(
    /^paywall(\.name|\.language)? must be /,
  );
});
