/** Puts what a search found into an order: what fits best first, then what is bought most. */
import type { Listing } from "./model.ts";

/** Words of a search that are looked for; more make it slow and no better. */
const wordsMax = 8;

/** Shortest word that is looked for by itself. */
const wordCharsMin = 2;

/** Characters of a word that are looked for: enough to tell any two apart. */
const wordCharsMax = 40;

/** What a word counts where it stands. */
const weights = { title: 4, tag: 3, description: 2, address: 1 } as const;

/** The words of a question, in lower case, each once. */
export function readWords(question: string): string[] {
  const words = question
    .toLowerCase()
    // No text has control characters in it, and PostgreSQL takes none of them for text.
    .split(/[\s,;\p{C}]+/u)
    .map((word) => word.slice(0, wordCharsMax))
    .filter((word) => word.length >= wordCharsMin);
  return [...new Set(words)].slice(0, wordsMax);
}

/** Orders listings by how well they fit the words. To be listed anew gives no better place. */
export function rank(listings: readonly Listing[], words: readonly string[]): Listing[] {
  const scored = listings.map((listing) => ({ listing, score: scoreOf(listing, words) }));
  return scored
    .toSorted(
      (one, other) =>
        other.score - one.score ||
        other.listing.stats.settlements - one.listing.stats.settlements ||
        one.listing.createdAt - other.listing.createdAt,
    )
    .map(({ listing }) => listing);
}

function scoreOf(
  { title, tags, description, resource }: Listing,
  words: readonly string[],
): number {
  const places = [
    [title, weights.title],
    [tags.join("\n"), weights.tag],
    [description, weights.description],
    [resource, weights.address],
  ] as const;
  return words.reduce((sum, word) => {
    const found = places.find(([text]) => text.toLowerCase().includes(word));
    return sum + (found?.[1] ?? 0);
  }, 0);
}
