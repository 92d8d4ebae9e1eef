/** HTML from templates. Every value is escaped, unless it is the HTML of another template. */

/** HTML that a template has made; there is no other way to make one. */
class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
export type { Html };

export type HtmlValue = string | number | Html | readonly Html[] | undefined;

export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts.map((part, index) => part + write(values[index])).join(""));
}

function write(value: HtmlValue): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(({ text }) => text).join("");
  return escapeHtml(`${value}`);
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Characters that reverse or hide the text around them, except line ends and tabs. */
const hidden = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}]/gu;

/** For text and for quoted attributes. Characters that reverse or hide text are left out. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll(hidden, "")
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
