/** The texts of the page in every language, which `npm run paywall` gives to the seller's package. */
import { english, type Texts } from "./english.ts";
import { spanish } from "./spanish.ts";

export const texts: { readonly en: Texts; readonly es: Texts } = { en: english, es: spanish };
