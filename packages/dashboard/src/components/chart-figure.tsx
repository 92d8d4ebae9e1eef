/** The frame of a chart of days: what it says, its legend, the drawing, and the same figures as a table. */
import type { PointerEventHandler, ReactNode } from "react";
import { dayText } from "./format.ts";

/** In units of the drawing, which is stretched to the available width. */
export const chartHeight = 100;

export interface ChartFigureProps {
  /** One sentence with what the chart shows, also for readers who do not see it. */
  readonly summary: string;
  /** In place of the summary while a day is pointed at. */
  readonly pointed?: string | undefined;
  readonly legend: ReactNode;
  /** What the full height stands for. */
  readonly max: string;
  /** In units of the drawing. */
  readonly width: number;
  /** `YYYY-MM-DD`, oldest first. */
  readonly days: readonly string[];
  readonly onPointerMove?: PointerEventHandler;
  readonly onPointerLeave?: PointerEventHandler;
  readonly table: ReactNode;
  /** The bars. */
  readonly children: ReactNode;
}

export function ChartFigure({
  summary,
  pointed = summary,
  legend,
  max,
  width,
  days,
  table,
  children,
  ...pointer
}: ChartFigureProps) {
  const named = [days[0], days[Math.floor(days.length / 2)], days.at(-1)];
  return (
    <figure className="chart">
      <figcaption>
        <span>{pointed}</span>
        <span className="legend" aria-hidden="true">
          {legend}
        </span>
      </figcaption>
      <div className="chart-area">
        <span className="chart-max" aria-hidden="true">
          {max}
        </span>
        <svg
          role="img"
          aria-label={summary}
          viewBox={`0 0 ${width} ${chartHeight}`}
          preserveAspectRatio="none"
          {...pointer}
        >
          {children}
        </svg>
      </div>
      <div className="chart-days" aria-hidden="true">
        {named.map((day) => day !== undefined && <span key={day}>{dayText(day)}</span>)}
      </div>
      <details className="more">
        <summary>Show as a table</summary>
        {table}
      </details>
    </figure>
  );
}
