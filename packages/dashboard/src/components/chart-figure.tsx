/**
 * The frame of a chart over time: what it says, its legend, the drawing, and the same figures as a
 * table. One point at a time can be read out, with the pointer or with the arrow keys.
 */
import { useState, type KeyboardEvent, type PointerEvent, type ReactNode } from "react";

/** In units of the drawing, which is stretched to the available width. */
export const chartHeight = 100;

export interface ChartFigureProps {
  /** One sentence with what the chart shows, also for readers who do not see it. */
  readonly summary: string;
  readonly legend: ReactNode;
  /** What the full height stands for. */
  readonly max: string;
  /** Of one point, in units of the drawing. */
  readonly step: number;
  /** Names of the points, oldest first. */
  readonly points: readonly string[];
  /** Everything about one point. */
  readonly sentenceOf: (index: number) => string;
  readonly table: ReactNode;
  /** The bars. */
  readonly children: ReactNode;
}

export function ChartFigure({
  summary,
  legend,
  max,
  step,
  points,
  sentenceOf,
  table,
  children,
}: ChartFigureProps) {
  const { pointed, handlers } = usePointed(points.length);
  const named = [points[0], points[Math.floor(points.length / 2)], points.at(-1)];
  return (
    <figure className="chart">
      <figcaption>
        <span>{pointed === undefined ? summary : sentenceOf(pointed)}</span>
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
          viewBox={`0 0 ${points.length * step} ${chartHeight}`}
          preserveAspectRatio="none"
        >
          {pointed !== undefined && (
            <rect className="bar-back" x={pointed * step} width={step} height={chartHeight} />
          )}
          {children}
        </svg>
        <div
          className="chart-points"
          role="slider"
          tabIndex={0}
          aria-label="Point of the chart"
          aria-valuemin={1}
          aria-valuemax={points.length}
          aria-valuenow={(pointed ?? points.length - 1) + 1}
          aria-valuetext={sentenceOf(pointed ?? points.length - 1)}
          {...handlers}
        />
      </div>
      <div className="chart-days" aria-hidden="true">
        {named.map((name, index) => name !== undefined && <span key={index}>{name}</span>)}
      </div>
      <details className="more">
        <summary>Show as a table</summary>
        {table}
      </details>
    </figure>
  );
}

/** The point that is read out, by its index; none at first. */
function usePointed(count: number) {
  const [pointed, setPointed] = useState<number>();
  const last = count - 1;
  const point = (index: number) => setPointed(Math.min(last, Math.max(0, index)));
  const now = pointed ?? last;
  const targets: Readonly<Record<string, number>> = {
    ArrowLeft: now - 1,
    ArrowDown: now - 1,
    ArrowRight: now + 1,
    ArrowUp: now + 1,
    Home: 0,
    End: last,
  };
  const handlers = {
    onPointerMove(event: PointerEvent) {
      const { left, width } = event.currentTarget.getBoundingClientRect();
      point(Math.floor(((event.clientX - left) / width) * count));
    },
    onPointerLeave: () => setPointed(undefined),
    onFocus: () => point(now),
    onBlur: () => setPointed(undefined),
    onKeyDown(event: KeyboardEvent) {
      const target = targets[event.key];
      if (target === undefined) return;
      event.preventDefault();
      point(target);
    },
  };
  return { pointed, handlers };
}
