import { expect, test } from "vitest";
import { chooseLanguage } from "./language.ts";

test.each([
  [null, "en"],
  ["", "en"],
  ["es", "es"],
  ["es-MX,es;q=0.9,en;q=0.8", "es"],
  ["fr-CH, fr;q=0.9, en;q=0.8, es;q=0.7", "en"],
  ["de;q=1, es;q=0.5, en;q=0.1", "es"],
  ["en;q=0.5, ES-419;q=0.6", "es"],
  ["es;q=0, en;q=0.1", "en"],
  ["es;q=0", "en"],
  ["es;q=2", "en"],
  ["est", "en"],
  ["*", "en"],
  [`${"fr,".repeat(20)}es`, "en"],
])("%j reads the page in %s", (accepted, language) => {
  expect(chooseLanguage(accepted)).toBe(language);
});
