/** A badge for a README, as SVG. */
import type { ConformReport } from "../run/conform-case.ts";
import { countVerdicts } from "./counts.ts";

/** Pixels of a character of the badge's font, and beside a text. */
const characterWidth = 6.6;
const padding = 10;

const colours = { good: "#2e7d32", bad: "#c62828", label: "#444444" } as const;

/** "x402 facilitator | 21 of 21", green without a failure. Cases that do not apply do not count. */
export function badgeSvg({ role, results }: ConformReport): string {
  const { pass, fail } = countVerdicts(results);
  const label = `x402 ${role}`;
  const value = `${pass} of ${pass + fail}`;
  const [left, right] = [widthOf(label), widthOf(value)];
  const colour = fail === 0 ? colours.good : colours.bad;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${label}: ${value}">
  <title>${label}: ${value}</title>
  <rect width="${left}" height="20" fill="${colours.label}"/>
  <rect x="${left}" width="${right}" height="20" fill="${colour}"/>
  <g fill="#ffffff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">
    <text x="${left / 2}" y="14">${label}</text>
    <text x="${left + right / 2}" y="14">${value}</text>
  </g>
</svg>
`;
}

const widthOf = (text: string) => Math.round(text.length * characterWidth + padding * 2);
