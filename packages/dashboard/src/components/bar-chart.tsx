/** Bars over time, of one or several series, on top of each other or side by side. */
import { chartHeight, ChartFigure, type ChartFigureProps } from "./chart-figure.tsx";

export interface Series {
  readonly title: string;
  readonly look: "settled" | "pending" | "failed";
  /** One for each point. Below zero is drawn as nothing. */
  readonly values: readonly number[];
}

interface BarChartProps extends Pick<
  ChartFigureProps,
  "summary" | "points" | "sentenceOf" | "table"
> {
  readonly series: readonly Series[];
  readonly isStacked?: boolean;
  /** Writes what the full height stands for. */
  readonly maxText: (max: number) => string;
}

/** In units of the drawing: the place of a point, and what stays free in it. */
const step = 12;
const gap = 3;

export function BarChart({ series, isStacked = false, maxText, points, ...figure }: BarChartProps) {
  const tops = points.map((_, index) => {
    const values = series.map(({ values: all }) => all[index] ?? 0);
    return isStacked ? values.reduce((sum, one) => sum + one, 0) : Math.max(...values);
  });
  const max = Math.max(1, ...tops);
  return (
    <ChartFigure
      {...figure}
      points={points}
      step={step}
      max={maxText(max)}
      legend={series.map(({ title, look }) => (
        <span key={title}>
          <i className={look} /> {title}{" "}
        </span>
      ))}
    >
      {points.map((name, index) => (
        <Bars key={`${index} ${name}`} {...{ series, index, max, isStacked }} />
      ))}
    </ChartFigure>
  );
}

interface BarsProps extends Required<Pick<BarChartProps, "series" | "isStacked">> {
  readonly index: number;
  readonly max: number;
}

function Bars({ series, index, max, isStacked }: BarsProps) {
  const width = isStacked ? step - gap : (step - gap) / series.length;
  let top = chartHeight;
  return series.map(({ title, look, values }, place) => {
    const height = (Math.max(0, values[index] ?? 0) / max) * chartHeight;
    top = (isStacked ? top : chartHeight) - height;
    return (
      <rect
        key={title}
        className={`bar-${look}`}
        x={index * step + gap / 2 + (isStacked ? 0 : place * width)}
        y={top}
        width={width}
        height={height}
      />
    );
  });
}
