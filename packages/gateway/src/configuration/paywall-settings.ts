/** The settings of the page that browsers get with a 402. */
import { parsePaywallIcon, paywallIconShape, paywallLanguages } from "@farthing/seller";
import { oneOf, optionalGroup, parsed, text } from "./setting-kinds.ts";

export const paywallSettings = optionalGroup("the page that browsers get with a 402", {
  name: text("the seller's name above the price: discovery.title when absent", "Weather Ltd", {
    maxLength: 200,
  }),
  icon: parsed(
    parsePaywallIcon,
    `a square picture beside the name: ${paywallIconShape}`,
    "https://weather.example/icon.png",
  ),
  language: oneOf(
    "the language of the page; the browser's Accept-Language decides when absent",
    paywallLanguages,
  ),
});
