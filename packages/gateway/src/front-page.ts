/**
 * What the gateway sells, as a page at `/` for browsers. It is shown only where no rule matches `/`,
 * in place of a 404: a page of the upstream is never hidden.
 */
import {
  commandBlock,
  html,
  htmlPageHeaders,
  isObject,
  pageVary,
  prefersPage,
  shellCommand,
  readableUsdc,
  shortUsdc,
  textMembers,
  writePage,
  type Html,
} from "@farthing/protocol";
import {
  isMeteredByChannel,
  type GatewayConfig,
  type RouteConfig,
} from "./configuration/configuration.ts";
import type { Incoming } from "./incoming.ts";
import { createExamples, type ExampleRequest } from "./openapi/example-request.ts";
import { templateOf } from "./openapi/openapi-document.ts";

/** At the head of all pages of the gateway. */
export const pageLinks = [{ href: "/openapi.json", text: "OpenAPI document" }];

export function createFrontPage(config: GatewayConfig) {
  if (!config.discovery.page) return () => undefined;
  const page = frontPage(config);
  const headers = {
    ...htmlPageHeaders(),
    "Cache-Control": "no-cache",
    Vary: pageVary,
  };
  /** Returns undefined for other paths, and for programs. */
  return ({ method, path, headers: asked }: Pick<Incoming, "method" | "path" | "headers">) => {
    if (path !== "/") return undefined;
    return prefersPage({ method, headers: asked }) ? new Response(page, { headers }) : undefined;
  };
}

function frontPage(config: GatewayConfig): string {
  const { discovery, publicUrl, routes, network } = config;
  const title = sellerName(config);
  const exampleOf = createExamples(config);
  const paid = routes.filter(({ amountUnits }) => amountUnits !== undefined);
  const free = routes.filter(({ amountUnits }) => amountUnits === undefined);
  return writePage({
    title,
    description: discovery.guidance ?? `${title}: requests are paid in USDC on XDC, by x402.`,
    canonical: `${publicUrl}/`,
    links: pageLinks,
    body: html`<section>
        <h1>${title}</h1>
        <p class="lead">
          ${paid.length === 0 ? "The requests below are free." : howToPay(network)}
        </p>
        ${discovery.guidance === undefined ? undefined : html`<p class="text">${discovery.guidance}</p>`}
      </section>
      ${paid.map((route) => routeCard(config, route, exampleOf(route)))}
      ${free.length === 0 ? undefined : freeCard(free)}
      ${discovery.contact === undefined ? undefined : contactLine(discovery.contact)}`,
  });
}

/** As on the page of a 402; an address is what is left where the seller has given no name. */
function sellerName({ paywall, discovery, publicUrl }: GatewayConfig): string {
  const { openapi } = discovery;
  const info = openapi && isObject(openapi["info"]) ? openapi["info"] : {};
  const described = textMembers(info, "title").title;
  return paywall.name ?? discovery.title ?? described ?? new URL(publicUrl).host;
}

function howToPay({ name }: GatewayConfig["network"]): string {
  return `Each request is paid in USDC on ${name}, without an account. A program sends the request, gets the price with status 402, signs a payment and sends it again.`;
}

function routeCard(
  { publicUrl, network }: GatewayConfig,
  route: RouteConfig,
  example: ExampleRequest | undefined,
): Html {
  const { pattern, host, description, amountUnits = 0n } = route;
  const { protocol } = new URL(publicUrl);
  const origin = host === undefined ? publicUrl : `${protocol}//${host}`;
  const path = templateOf(pattern.path);
  return html`<article class="card">
    <div class="head">
      <h2>${description ?? path}</h2>
      <span class="price">${readableUsdc(amountUnits)} USDC</span>
    </div>
    <p class="address"><code>${methodOf(route)} ${origin}${path}</code></p>
    ${
      network.chainId === 51
        ? html`<p class="row"><span class="badge warn">Test network</span></p>`
        : undefined
    }
    ${route.passes === undefined ? undefined : html`<p>${passText(route.passes.uses)}</p>`}
    ${route.balance === undefined ? undefined : html`<p>A payment adds to a balance, from which each request takes what it costs.</p>`}
    ${route.channel === undefined ? undefined : html`<p>A deposit to a payment channel pays for many requests.</p>`}
    ${
      example === undefined
        ? html`<p class="muted">${whatToFill(route)}</p>`
        : html`${payLink(route, origin, example)}${commandBlock(payCommand(network, route, origin, example))}`
    }
  </article>`;
}

function passText(uses: number): string {
  return `One payment opens ${uses} ${uses === 1 ? "request" : "requests"}.`;
}

/** No command is offered that would not work as it is copied. */
function whatToFill({ pattern: { path, method } }: RouteConfig): string {
  const names = templateOf(path).match(/\{[^}]*\}/g) ?? [];
  if (names.length === 0) return "The OpenAPI document says what a request has to contain.";
  const isPage = method === "GET" || method === "*";
  const how = isPage ? " The address then opens in a browser, with a page to pay on." : "";
  return `Put a value of yours in place of ${names.join(" and ")}.${how}`;
}

/** Browsers get a page to pay on, of GET alone. */
function payLink(route: RouteConfig, origin: string, { method, path }: ExampleRequest) {
  if (method !== "GET" || isMeteredByChannel(route)) return undefined;
  return html`<p class="row"><a class="action" href="${origin}${path}">Open and pay</a></p>`;
}

function payCommand(
  { chainId, id }: GatewayConfig["network"],
  { amountUnits = 0n }: RouteConfig,
  origin: string,
  { method, path, body }: ExampleRequest,
): string {
  const usual = body === undefined ? "GET" : "POST";
  return shellCommand([
    "npx",
    "farthing",
    "pay",
    ...(method === usual ? [] : ["-X", method]),
    ...(body === undefined ? [] : ["-H", "Content-Type: application/json", "-d", body]),
    ...(chainId === 51 ? ["--network", id] : []),
    "--max-amount",
    shortUsdc(amountUnits),
    `${origin}${path}`,
  ]);
}

function freeCard(routes: readonly RouteConfig[]): Html {
  return html`<section class="card">
    <h2>Free</h2>
    <ul>
      ${routes.map(
        (route) =>
          html`<li class="address">
            <code>${methodOf(route)} ${templateOf(route.pattern.path)}</code>
            ${route.description}
          </li>`,
      )}
    </ul>
  </section>`;
}

function contactLine(contact: string): Html {
  return html`<p class="muted">Questions: <a href="mailto:${contact}">${contact}</a></p>`;
}

function methodOf({ pattern: { method } }: RouteConfig): string {
  return method === "*" ? "Any method" : method;
}
