/** GET /status for people: what /v1/status has for programs, and what this process remembers. */
import { formatGwei } from "@farthing/engine";
import {
  html,
  htmlPageHeaders,
  shortUsdc,
  writePage,
  type ChainId,
  type Html,
} from "@farthing/protocol";
import { timeText } from "@farthing/engine/base";
import type { FastifyInstance } from "fastify";
import type { RouteLimits } from "../http/access/limits.ts";
import { siteLinks } from "../http/site/site-links.ts";
import type { Site, SiteAddress } from "../http/site/site.ts";
import type { NetworkStatus, PaymentContext } from "./context.ts";
import type { DurationSummary } from "./recent-durations.ts";
import { badge, checkList, checkName } from "./page-parts.ts";
import { historyCharts } from "./history-charts.ts";
import { daysKept, hoursKept, type HistoryPart, type ServiceHistory } from "./service-history.ts";
import type { Incident, ServiceRecord } from "./service-record.ts";
import type { SettlementCost } from "./settlement-cost.ts";
import { findHeadAge, readiness } from "./status.ts";
import type { ReadyCheck } from "./ready-check.ts";

/** However many visitors there are, the page is written, and the database asked, this often. */
const keptMs = 5_000;

export interface StatusPageDeps extends Pick<SiteAddress, "site"> {
  readonly limits: RouteLimits;
  readonly record: ServiceRecord;
  readonly history: Pick<ServiceHistory, "read">;
}

export function registerStatusPage(
  server: FastifyInstance,
  context: PaymentContext,
  { limits, site, record, history }: StatusPageDeps,
): void {
  const headers = { ...htmlPageHeaders(), "Cache-Control": `public, max-age=${keptMs / 1000}` };
  let kept: { readonly page: Promise<string>; readonly until: number } | undefined;

  async function write(): Promise<string> {
    const [checks, parts] = await Promise.all([readiness(context), history.read()]);
    return statusPage(checks, { context, record, parts, site: site() });
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
  readonly parts: ReadonlyMap<ChainId, HistoryPart>;
  readonly site: Site;
}

function statusPage(checks: readonly ReadyCheck[], deps: PageDeps): string {
  const { context, record, parts, site } = deps;
  const now = context.clock.nowMs();
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
          Read at ${timeOf(now)}. The pictures are of the whole service; checks, counts and
          incidents are of this process, which has run version ${context.version} since
          ${timeOf(record.startedAt)}.
        </p>
      </section>
      <section class="card">
        <h2>Checks</h2>
        ${checkList(checks)}
        <p class="muted">
          Programs read <a href="/ready">/ready</a> and <a href="/v1/status">/v1/status</a>.
        </p>
      </section>
      ${context.networks.map(({ network: { chainId, name } }) =>
        historyCharts(parts.get(chainId), name, now),
      )}
      ${measureSection()} ${context.networks.map((status) => networkSection(status, deps))}
      ${incidentSection(record)}`,
  });
}

/** What the pictures say, and what they cannot say. */
function measureSection(): Html {
  return html`<section class="card">
    <h2>How this is measured</h2>
    <p>
      The service measures itself. Each of its processes makes the checks above four times a minute:
      they find a database that takes no writes, blocks that do not arrive, and wallets that cannot
      send. A minute is available when a process found the checks of a network and of the database
      passing in each of its looks. What keeps callers from reaching the service is not seen here.
    </p>
    <p>
      Minutes in which no process ran are not measured: they are gaps, and count neither as
      available nor as failing. The time of a settlement begins when the service accepts it and ends
      when its block is read. What is measured is written once a minute and kept for ${daysKept}
      days, the times of settlements for ${hoursKept} hours.
    </p>
  </section>`;
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
