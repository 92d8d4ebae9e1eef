/** Draws who sends what to whom as an SVG: one column for each party, one row for each message. */

export interface Sequence {
  /** What the drawing shows, for people who do not see it. */
  readonly title: string;
  readonly parties: readonly string[];
  readonly steps: readonly Step[];
}

/** A message between two parties, or a note about one of them. */
export type Step =
  | { readonly from: string; readonly to: string; readonly text: string; readonly isReply?: true }
  | { readonly at: string; readonly note: string };

const columnWidth = 200;
const margin = 20;
const boxHeight = 34;
const boxWidth = 130;
const rowHeight = 44;

/** Where the drawing is an image, colours follow the reader's system; the site has its own. */
const style = `<style>
.drawing{font:14px/1.3 system-ui,sans-serif}.box{fill:#f3f0ec;stroke:#8d857b}.line{fill:none;stroke:#554e46}.life{stroke:#c9c2b8}.tip{fill:#554e46}text{fill:#211d19}.note{fill:#554e46;stroke:#fff;stroke-width:5px;paint-order:stroke}
@media (prefers-color-scheme:dark){.box{fill:#1f1c19;stroke:#7d7468}.line{stroke:#c4bbb0}.life{stroke:#453e37}.tip{fill:#c4bbb0}text{fill:#eee9e2}.note{fill:#c4bbb0;stroke:#0d1117}}
</style>`;

export function drawSequence({ title, parties, steps }: Sequence): string {
  const width = margin * 2 + boxWidth + columnWidth * (parties.length - 1);
  const height = boxHeight + rowHeight * (steps.length + 1);
  const xOf = (party: string): number => {
    const index = parties.indexOf(party);
    if (index < 0) throw new Error(`${title}: no party ${party}`);
    return margin + boxWidth / 2 + index * columnWidth;
  };
  const heads = parties.flatMap((party) => {
    const x = xOf(party);
    return [
      `<line class="life" x1="${x}" y1="${boxHeight}" x2="${x}" y2="${height - 8}"/>`,
      `<rect class="box" x="${x - boxWidth / 2}" y="1" width="${boxWidth}" height="${boxHeight - 2}" rx="8"/>`,
      label(party, { x, y: 22 }),
    ];
  });
  const rows = steps.flatMap((step, index) => {
    const y = boxHeight + rowHeight * (index + 1);
    return "note" in step
      ? drawNote(step.note, { x: xOf(step.at), y }, width)
      : drawMessage(step, y);
  });
  function drawMessage(step: Extract<Step, { from: string }>, y: number): string[] {
    const [start, end] = [xOf(step.from), xOf(step.to)];
    const back = end < start ? 1 : -1;
    const dash = step.isReply ? ' stroke-dasharray="5 4"' : "";
    return [
      `<line class="line" x1="${start}" y1="${y}" x2="${end + back * 8}" y2="${y}"${dash}/>`,
      `<path class="tip" d="M${end} ${y}l${back * 9} -5v10z"/>`,
      label(step.text, { x: (start + end) / 2, y: y - 8 }),
    ];
  }
  return [
    `<svg class="drawing" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">`,
    style,
    ...heads,
    ...rows,
    "</svg>",
    "",
  ].join("\n");
}

function label(text: string, { x, y }: { x: number; y: number }, name = ""): string {
  const className = name === "" ? "" : ` class="${name}"`;
  return `<text${className} x="${x}" y="${y}" text-anchor="middle">${escaped(text)}</text>`;
}

/** Stands beside the party's line, on the side with more room. */
function drawNote(text: string, { x, y }: { x: number; y: number }, width: number): string[] {
  const isRight = x <= width / 2;
  const anchor = isRight ? "start" : "end";
  return [
    `<circle class="tip" cx="${x}" cy="${y - 4}" r="4"/>`,
    `<text class="note" x="${x + (isRight ? 12 : -12)}" y="${y}" text-anchor="${anchor}">${escaped(text)}</text>`,
  ];
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
