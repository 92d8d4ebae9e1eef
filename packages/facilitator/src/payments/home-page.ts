/**
 * GET / for people: what the service is, how to sell and buy, what it serves, its fees and its health.
 * Programs get the 404 that they have always got here.
 */
import {
  commandBlock,
  html,
  htmlPageHeaders,
  pageVary,
  shellCommand,
  readableUsdc,
  shortUsdc,
  unitsPerCredit,
  writePage,
  type Html,
} from "@farthing/protocol";
import type { FastifyInstance } from "fastify";
import { dashboardPath } from "../http/site/dashboard.ts";
import type { RouteLimits } from "../http/access/limits.ts";
import { nothingHere } from "../http/server/nothing-here.ts";
import { prefersPage } from "../http/site/prefers-page.ts";
import { registerRobots } from "../http/site/robots.ts";
import { siteLinks } from "../http/site/site-links.ts";
import type { Site, SiteAddress } from "../http/site/site.ts";
import { networksOf, unitsMinOf, type Surface } from "../http/access/surface.ts";
import type { NetworkStatus, PaymentContext } from "./context.ts";
import { badge, checkList } from "./page-parts.ts";
import { findHeadAge, readiness } from "./status.ts";
import type { ReadyCheck } from "./ready-check.ts";

export function registerHomePage(
  server: FastifyInstance,
  context: PaymentContext,
  { limits, site }: { readonly limits: RouteLimits } & Pick<SiteAddress, "site">,
): void {
  const pageHeaders = htmlPageHeaders();
  registerRobots(server);
  server.get("/", async (request, reply) => {
    reply.header("Vary", pageVary);
    if (!prefersPage(request)) throw nothingHere(context.surfaces);
    await limits.throttle(request, reply, null);
    const checks = await readiness(context);
    return reply
      .headers({ ...pageHeaders, "Cache-Control": "no-cache" })
      .send(homePage(context, checks, site()));
  });
}

function homePage(
  context: PaymentContext,
  checks: readonly ReadyCheck[],
  { origin, docsUrl }: Site,
): string {
  const hasAccounts = context.surfaces.some(({ name }) => name !== "self-built");
  const isReady = checks.every(({ ok }) => ok);
  return writePage({
    title: "Farthing: an x402 payment facilitator on XDC",
    description:
      "Verifies and settles x402 payments in USDC on XDC. Sellers charge for an HTTP request, and buyers and agents pay with a signature and without gas.",
    canonical: `${origin}/`,
    links: siteLinks(hasAccounts, docsUrl),
    body: html`<section>
        <div class="head">
          <h1>Payments for HTTP requests, in USDC on XDC</h1>
          ${isReady ? undefined : badge("warn", "Not ready")}
        </div>
        <p class="lead">
          This is an x402 facilitator. A seller answers a request with its price, the buyer signs a
          payment, and this service verifies it and settles it on the chain. Buyers need no account
          and no gas.
        </p>
      </section>
      ${hasAccounts ? html`<section class="cards">${waysIn(origin, docsUrl)}</section>` : undefined}
      <section class="cards">
        ${context.surfaces.map((surface) => surfaceCard(context, surface, origin))}
      </section>
      <section class="cards">
        ${context.networks.map((status) => networkCard(context, status))}
      </section>
      <section class="card">
        <div class="head">
          <h2>Health</h2>
          ${isReady ? badge("good", "Ready") : badge("warn", "Not ready")}
        </div>
        ${checkList(checks)}
        <p class="muted">
          Version ${context.version}. <a href="/status">More about its state</a>. Programs read
          <a href="/ready">/ready</a> and <a href="/v1/status">/v1/status</a>.
        </p>
      </section>`,
  });
}

function networkCard(context: PaymentContext, status: NetworkStatus): Html {
  const { network } = status;
  const age = findHeadAge(context, status);
  return html`<article class="card">
    <div class="head">
      <h2>${network.name}</h2>
      ${network.chainId === 51 ? badge("plain", "Test network") : undefined}
    </div>
    <dl class="facts">
      <dt>Network</dt>
      <dd><code>${network.id}</code></dd>
      <dt>Asset</dt>
      <dd>USDC, <code>${network.usdc}</code></dd>
      <dt>Newest block</dt>
      <dd>${age === undefined ? "Not read yet" : `${age} s old`}</dd>
    </dl>
  </article>`;
}

const surfaceNames: Readonly<Record<Surface["name"], string>> = {
  public: "With an API key",
  hosted: "Hosted",
  "self-built": "This service",
};

function surfaceCard(context: PaymentContext, surface: Surface, origin: string): Html {
  const { basePath, versions, settle, auth } = surface;
  return html`<article class="card">
    <h2>${surfaceNames[surface.name]}</h2>
    <dl class="facts">
      <dt>Address</dt>
      <dd><code>${origin}${basePath}</code></dd>
      <dt>Networks</dt>
      <dd>${namesOf(surface)}</dd>
      <dt>Protocol</dt>
      <dd>x402 version ${versions.join(" and ")}, scheme <code>exact</code></dd>
      <dt>Settlement</dt>
      <dd>
        Responds when it is mined${settle === "async" ? ", or with an id when it is sent" : ""}
      </dd>
      <dt>Callers</dt>
      <dd>${auth === "none" ? "Anyone, within limits" : "Sellers with an API key"}</dd>
      <dt>Fee</dt>
      <dd>${auth === "none" ? openFee(context, surface) : keyFee(context)}</dd>
    </dl>
    <p><a href="${basePath}/supported">What it supports, as JSON</a></p>
  </article>`;
}

function namesOf(surface: Surface): string {
  const names = networksOf(surface).map((network) =>
    surface.testNetworks.includes(network) ? `${network.name} with a test key` : network.name,
  );
  return names.join(", ");
}

/** The fee and the limits without a key. */
function openFee({ limits }: PaymentContext, surface: Surface): string {
  const { payerCountMax, payerCapUnits } = limits;
  const unitsMin = unitsMinOf({ limits }, surface);
  const bounds = [
    ...(unitsMin > 0n ? [`from ${shortUsdc(unitsMin)} USDC per payment`] : []),
    ...(payerCountMax === null
      ? []
      : [`${payerCountMax.toLocaleString("en")} payments per payer and day`]),
    ...(payerCapUnits === null ? [] : [`${readableUsdc(payerCapUnits)} USDC per payer and day`]),
  ];
  return bounds.length === 0 ? "None" : `None; ${bounds.join(", ")}`;
}

function keyFee({ fee, freeCredits }: PaymentContext): string {
  const creditsPerSettlement = fee();
  if (creditsPerSettlement === 0) return "None";
  const price = shortUsdc(BigInt(creditsPerSettlement) * unitsPerCredit);
  const free = Math.floor(freeCredits / creditsPerSettlement);
  const first = free === 0 ? "" : `; the first ${free} of a month are free`;
  return `${price} USDC per confirmed settlement${first}`;
}

function waysIn(origin: string, docsUrl: string | undefined): readonly Html[] {
  const find = ["npx", "farthing", "find", "weather", "--facilitator", origin];
  return [
    html`<article class="card">
      <h2>Sell</h2>
      <p>Sign in with a wallet, create an API key and list your endpoints.</p>
      <p><a href="${dashboardPath}">Open the dashboard</a></p>
    </article>`,
    html`<article class="card">
      <h2>Buy</h2>
      <p>
        Look at <a href="/market">the market</a>, or search it from a shell. Prices are checked
        regularly.
      </p>
      ${commandBlock(shellCommand(find))}
    </article>`,
    html`<article class="card">
      <h2>Integrate</h2>
      <p>
        The <a href="/docs">API reference</a> describes every request; programs read
        <a href="/openapi.json">/openapi.json</a>.
        ${docsUrl === undefined ? undefined : html`The <a href="${docsUrl}">guides</a> show each step.`}
      </p>
    </article>`,
  ];
}
