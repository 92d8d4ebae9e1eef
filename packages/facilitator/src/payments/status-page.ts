/** GET /status for people: what /v1/status has for programs, and what this process remembers. */
import { formatGwei } from "@farthing/engine";
import { html, htmlPageHeaders, shortUsdc, writePage, type Html } from "@farthing/protocol";
import { timeText } from "@farthing/engine/base";
import type { FastifyInstance } from "fastify";
import type { RouteLimits } from "../http/access/limits.ts";
import { siteLinks } from "../http/site/site-links.ts";
import type { Site, SiteAddress } from "../http/site/site.ts";
import type { NetworkStatus, PaymentContext } from "./context.ts";
import type { DurationSummary } from "./recent-durations.ts";
import { badge, checkList, checkName } from "./page-parts.ts";
import type { Incident, ServiceRecord } from "./service-record.ts";
import type { SettlementCost } from "./settlement-cost.ts";
import { findHeadAge, readiness, type ReadyCheck } from "./status.ts";

/** However many visitors there are, the page is written, and the database asked, this often. */
const keptMs = 5_000;

export interface StatusPageDeps extends Pick<SiteAddress, "site"> {
  readonly limits: RouteLimits;
  readonly record: ServiceRecord;
}

export function registerStatusPage(
  server: FastifyInstance,
  context: PaymentContext,
  { limits, site, record }: StatusPageDeps,
): void {
  const headers = { ...htmlPageHeaders(), "Cache-Control": `public, max-age=${keptMs / 1000}` };
  let kept: { readonly page: Promise<string>; readonly until: number } | undefined;

  async function write(): Promise<string> {
    return statusPage(await readiness(context), { context, record, site: site() });
  }

  server.get("/status", async (request, reply) => {
    await limits.throttle(request, reply, null);
    const now = context.clock.nowMs();
    // A clock that is set back must not keep an old page.
    if (!kept || kept.until <= now || kept.until > now + keptMs) {
      kept = { page: write(), until: now + keptMs };
    }
    return reply.headers(headers).send(await kept.page);
  });
}

interface PageDeps {
  readonly context: PaymentContext;
  readonly record: ServiceRecord;
  readonly site: Site;
}

function statusPage(checks: readonly ReadyCheck[], deps: PageDeps): string {
  const { context, record, site } = deps;
  const hasAccounts = context.surfaces.some(({ name }) => name !== "self-built");
  const failing = checks.filter(({ ok }) => !ok);
  return writePage({
    title: "Status of this x402 facilitator",
    description: "Blocks, wallets, endpoints, queue, latency and incidents of this facilitator.",
    links: siteLinks(hasAccounts, site.docsUrl),
    body: html`<section>
        <div class="head">
          <h1>Status</h1>
          ${failing.length === 0 ? badge("good", "All checks pass") : badge("warn", problemsOf(failing))}
        </div>
        <p class="lead">
          Read at ${timeOf(context.clock.nowMs())}. The counts are of this process, which has run
          version ${context.version} since ${timeOf(record.startedAt)}.
        </p>
      </section>
      <section class="card">
        <h2>Checks</h2>
        ${checkList(checks)}
        <p class="muted">
          Programs read <a href="/ready">/ready</a> and <a href="/v1/status">/v1/status</a>.
        </p>
      </section>
      ${context.networks.map((status) => networkSection(status, deps))} ${incidentSection(record)}`,
  });
}

function networkSection(status: NetworkStatus, { context, record }: PageDeps): Html {
  const { network, relayers, view, load, endpointLimits, gasPrice } = status;
  const { head, finalized, walkedTo } = view() ?? {};
  const { inFlight, queued, walletsUsable, walletsElsewhere } = load();
  const age = findHeadAge(context, status);
  return html`<section class="cards">
    <article class="card">
      <h2>${network.name}: blocks</h2>
      <dl class="facts">
        <dt>Newest</dt>
        <dd>${head ? `${head.number}, ${age} s old` : "Not read yet"}</dd>
        <dt>Read up to</dt>
        <dd>${walkedTo ?? "Not read yet"}</dd>
        <dt>Final</dt>
        <dd>${finalized ? finalized.number : "Not read yet"}</dd>
      </dl>
    </article>
    <article class="card">
      <h2>${network.name}: settlements</h2>
      <dl class="facts">
        <dt>Waiting</dt>
        <dd>${queued}</dd>
        <dt>On their way</dt>
        <dd>${inFlight === 1 ? "1 transaction" : `${inFlight} transactions`}</dd>
        <dt>Wallets</dt>
        <dd>
          ${walletsText({ all: relayers.length, here: walletsUsable, elsewhere: walletsElsewhere })}
        </dd>
        <dt>Gas price</dt>
        <dd>${formatGwei(gasPrice().wei)} gwei</dd>
        <dt>Fee with an API key</dt>
        <dd>${feeText(context.costOf(status))}</dd>
        <dt>Last hour</dt>
        <dd>${durationText(record.settlements(network.chainId), "confirmed", "None confirmed")}</dd>
      </dl>
    </article>
    <article class="card">
      <h2>${network.name}: endpoints</h2>
      <dl class="facts">
        ${endpointLimits().map((_, index) => {
          const { answered, failed } = record.endpoint(network.chainId, index);
          const failures = failed === 0 ? "" : `; ${failed} failed`;
          return html`<dt>Endpoint ${index}</dt>
            <dd>
              ${durationText(answered, "answered", "No answer in the last hour")}${failures}
            </dd>`;
        })}
      </dl>
    </article>
  </section>`;
}

function feeText({ incomeUnits }: SettlementCost): string {
  return incomeUnits === 0n ? "None" : `${shortUsdc(incomeUnits)} USDC per settlement`;
}

function walletsText(wallets: Readonly<Record<"all" | "here" | "elsewhere", number>>): string {
  const { all, here, elsewhere } = wallets;
  const others = elsewhere === 0 ? "" : `, ${elsewhere} worked by other processes`;
  return `${here} of ${all} can take work here${others}`;
}

function durationText(summary: DurationSummary | undefined, what: string, none: string): string {
  if (!summary) return none;
  const { count, half, most, longest } = summary;
  const tail = `in more than ${secondsText(longest)}`;
  const shares =
    half === Infinity
      ? [`over half ${tail}`]
      : [
          `half within ${secondsText(half)}`,
          most === Infinity ? `over 5% ${tail}` : `95% within ${secondsText(most)}`,
        ];
  return `${count.toLocaleString("en")} ${what}: ${shares.join(", ")}`;
}

function secondsText(seconds: number): string {
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds} s`;
}

function incidentSection({ incidents, startedAt }: ServiceRecord): Html {
  const all = incidents();
  return html`<section class="card">
    <h2>Incidents</h2>
    ${
      all.length === 0
        ? html`<p>No check has failed since ${timeOf(startedAt)}.</p>`
        : html`<ul>
            ${all.map(incidentItem)}
          </ul>`
    }
    <p class="muted">
      Every check is made four times a minute. The newest 30 incidents of this process are kept.
    </p>
  </section>`;
}

function incidentItem({ name, text, since, until }: Incident): Html {
  const span =
    until === null
      ? html`${badge("warn", "Now")} since ${timeOf(since)}`
      : html`${timeOf(since)} to ${timeOf(until)}`;
  return html`<li class="text">${checkName(name)}: ${text}. ${span}</li>`;
}

function problemsOf(failing: readonly ReadyCheck[]): string {
  return failing.length === 1 ? "1 check fails" : `${failing.length} checks fail`;
}

function timeOf(ms: number): Html {
  const text = timeText(ms) ?? "";
  return html`<time datetime="${text}">${text.slice(0, 19).replace("T", " ")} UTC</time>`;
}
