/** The service's history as pictures, each with its figures as a table. Drawn here: the page has no script for it. */
import { html, type Html } from "@farthing/protocol";
import {
  daysOf,
  hoursOf,
  latencyByHour,
  latencyOf,
  totalOf,
  type Latency,
  type Minutes,
} from "./history-sums.ts";
import { daysKept, hoursKept, latencyBounds, type HistoryPart } from "./service-history.ts";

/** In units of a drawing, which is stretched to the available width. */
const height = 60;
const step = 10;
const barWidth = 8;

/** A failing part that is shorter would not be seen. */
const failingMin = 4;

const longest = latencyBounds.at(-1) ?? 0;

const boundOf = (seconds: number) => Math.min(seconds, longest);

export function historyCharts(part: HistoryPart | undefined, name: string, now: number): Html {
  const { availability = [], latency = [] } = part ?? {};
  const hours = hoursOf(availability, now);
  const days = daysOf(availability, now);
  return html`<section class="card">
      <h2>${name}: last ${hoursKept} hours</h2>
      ${availabilityChart(hours, { name: `last ${hoursKept} hours`, span: "Hour", textOf: hourText })}
      ${latencyChart(latencyByHour(latency, now), latencyOf(latency, now))}
    </section>
    <section class="card">
      <h2>${name}: last ${daysKept} days</h2>
      ${availabilityChart(days, { name: `last ${daysKept} days`, span: "Day", textOf: dayText })}
    </section>`;
}

interface SpanTexts {
  readonly name: string;
  readonly span: "Hour" | "Day";
  readonly textOf: (start: number) => string;
}

function availabilityChart(spans: readonly Minutes[], { name, span, textOf }: SpanTexts): Html {
  const { past, looked, available } = totalOf(spans);
  const summary =
    looked === 0
      ? `Nothing of the ${name} is measured yet`
      : `Available in ${shareText(available, looked)} of the measured minutes of the ${name}; ${countText(past - looked)} minutes are not measured`;
  const measured = spans.slice(
    Math.max(
      0,
      spans.findIndex((one) => one.looked > 0),
    ),
  );
  return chart({
    summary,
    legend: html`<span><i class="ok"></i> available</span> <span><i class="no"></i> failing</span>
      <span>gaps are not measured</span>`,
    bars: spans.map((one, index) => minuteBars(one, index, textOf)),
    ends: [textOf(spans[0]?.start ?? 0), textOf(spans.at(-1)?.start ?? 0)],
    head: [`${span} (UTC)`, "Available", "Failing", "Not measured"],
    rows:
      looked === 0
        ? []
        : measured.map((one) => [
            textOf(one.start),
            one.looked === 0 ? "–" : shareText(one.available, one.looked),
            `${one.looked - one.available} min`,
            `${one.past - one.looked} min`,
          ]),
  });
}

/** The full height is the whole span, so that a gap stays above what was measured. */
function minuteBars(one: Minutes, index: number, textOf: SpanTexts["textOf"]): Html | undefined {
  const { start, past, looked, available } = one;
  if (looked === 0) return undefined;
  const whole = (looked / past) * height;
  const failing = looked === available ? 0 : (1 - available / looked) * whole;
  const shown = failing === 0 ? 0 : Math.min(whole, Math.max(failingMin, failing));
  const title = `${textOf(start)}: ${shareText(available, looked)}`;
  return html`<g
    ><title>${title}</title
    >${bar("ok", index, whole - shown, shown)}${shown === 0 ? undefined : bar("no", index, shown)}</g
  >`;
}

function latencyChart(hours: readonly Latency[], all: Latency): Html {
  const max = Math.max(1, ...hours.map(({ most }) => boundOf(most)));
  const heightOf = (seconds: number) => (boundOf(seconds) / max) * height;
  const name = `last ${hoursKept} hours`;
  const summary =
    all.settlements === 0
      ? `No settlement was confirmed in the ${name}`
      : `${all.settlements === 1 ? "1 settlement was" : `${countText(all.settlements)} settlements were`} confirmed in the ${name}: half within ${secondsText(all.half)} of their acceptance, 95% within ${secondsText(all.most)}`;
  return chart({
    summary,
    legend: html`<span><i class="mid"></i> half within</span>
      <span><i class="tail"></i> 95% within</span> <span>full height: ${secondsText(max)}</span>`,
    bars: hours.map(({ start, settlements, half, most }, index) =>
      settlements === 0
        ? undefined
        : html`<g
            ><title>
              ${hourText(start)}: half within ${secondsText(half)}, 95% within ${secondsText(most)}</title
            >${bar("tail", index, heightOf(most))}${bar("mid", index, heightOf(half))}</g
          >`,
    ),
    ends: [hourText(hours[0]?.start ?? 0), hourText(hours.at(-1)?.start ?? 0)],
    head: ["Hour (UTC)", "Confirmed", "Half within", "95% within"],
    rows: hours
      .filter(({ settlements }) => settlements > 0)
      .map(({ start, settlements, half, most }) => [
        hourText(start),
        countText(settlements),
        secondsText(half),
        secondsText(most),
      ]),
  });
}

function bar(look: "ok" | "no" | "mid" | "tail", index: number, size: number, above = 0): Html {
  return html`<rect
    class="${look}"
    x="${index * step + (step - barWidth) / 2}"
    y="${rounded(height - above - size)}"
    width="${barWidth}"
    height="${rounded(size)}"
  />`;
}

const rounded = (size: number) => Math.round(size * 100) / 100;

interface ChartParts {
  readonly summary: string;
  readonly legend: Html;
  readonly bars: readonly (Html | undefined)[];
  readonly ends: readonly [first: string, last: string];
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function chart({ summary, legend, bars, ends: [first, last], head, rows }: ChartParts): Html {
  if (rows.length === 0) return html`<p>${summary}.</p>`;
  const drawn = bars.filter((one) => one !== undefined);
  return html`<figure class="chart">
    <figcaption>${summary}.</figcaption>
    <p class="legend muted" aria-hidden="true">${legend}</p>
    <svg
      role="img"
      aria-label="${summary}"
      viewBox="0 0 ${bars.length * step} ${height}"
      preserveAspectRatio="none"
    >
      ${drawn}
    </svg>
    <p class="ends muted" aria-hidden="true"><span>${first}</span><span>${last}</span></p>
    <details>
      <summary>Show as a table</summary>
      <table>
        <thead>
          <tr>
            ${head.map((text) => html`<th scope="col">${text}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row) =>
              html`<tr>
                ${row.map((text) => html`<td>${text}</td>`)}
              </tr>`,
          )}
        </tbody>
      </table>
    </details>
  </figure>`;
}

/** Rounded down, so that a failing minute is never "100%". */
function shareText(part: number, whole: number): string {
  return `${Math.floor((part / whole) * 10_000) / 100}%`;
}

const countText = (count: number) => count.toLocaleString("en");

const secondsText = (seconds: number) =>
  seconds > longest ? `more than ${longest} s` : `${seconds} s`;

const hourText = (start: number) => `${new Date(start).toISOString().slice(11, 13)}:00`;

const dayNames = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});

const dayText = (start: number) => dayNames.format(start);
