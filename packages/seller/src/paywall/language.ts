/** The languages of the page, and which of them a browser prefers. */

export const languages = ["en", "es"] as const;

/** As their speakers call them. */
export const languageNames = { en: "English", es: "Español" } as const;

export type Language = (typeof languages)[number];

export function isLanguage(value: unknown): value is Language {
  return languages.some((one) => one === value);
}

/** Browsers send a handful; more are an attack, and what follows does not count. */
const maxRanges = 20;

/** The page's script writes what its reader has chosen there. */
const languageCookie = "farthing-language";

function chosenIn(cookies: string | null): Language | undefined {
  const pairs = (cookies ?? "").split(";").map((pair) => pair.trim().split("="));
  const [, value] = pairs.find(([name]) => name === languageCookie) ?? [];
  return isLanguage(value) ? value : undefined;
}

/** The reader's choice, else what the browser prefers; English when that is none of the languages. */
export function chooseLanguage(accepted: string | null, cookies: string | null = null): Language {
  const chosen = chosenIn(cookies);
  if (chosen) return chosen;
  let best: { readonly language: Language; readonly weight: number } | undefined;
  for (const range of (accepted ?? "").split(",", maxRanges)) {
    const [tag = "", ...parameters] = range.split(";").map((part) => part.trim());
    const [language] = tag.toLowerCase().split("-");
    const weight = weightOf(parameters);
    // Of equal ones the first is preferred.
    if (isLanguage(language) && weight > (best?.weight ?? 0)) best = { language, weight };
  }
  return best?.language ?? "en";
}

/** 1 when there is none, 0 when it cannot be read. */
function weightOf(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith("q="));
  if (weight === undefined) return 1;
  return /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight.slice(2)) : 0;
}
