import { generate } from "lean-qr/nano";

/** Light modules around the code, which scanners need. */
const quietModules = 4;

/** Dark on white in every colour scheme, because many scanners read nothing else. */
export function qrCode(text: string, label: string): SVGElement {
  const code = generate(text);
  const svg = make("svg");
  const size = code.size + 2 * quietModules;
  for (const [name, value] of Object.entries({
    class: "qr",
    viewBox: `${-quietModules} ${-quietModules} ${size} ${size}`,
    role: "img",
    "aria-label": label,
    "shape-rendering": "crispEdges",
  })) {
    svg.setAttribute(name, value);
  }
  const dark: string[] = [];
  for (let y = 0; y < code.size; y++) {
    for (let x = 0; x < code.size; x++) if (code.get(x, y)) dark.push(`M${x} ${y}h1v1h-1z`);
  }
  const path = make("path");
  path.setAttribute("d", dark.join(""));
  svg.append(path);
  return svg;
}

function make(tag: string): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  if (element instanceof SVGElement) return element;
  throw new Error("Not an SVG element.");
}
