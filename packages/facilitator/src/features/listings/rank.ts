/** Ranks search results: the best match first, then the most bought. */
import type { Listing } from "./model.ts";

/** More words make a search slow and no better. */
const wordsMax = 8;

/** Shorter words are ignored. */
const wordCharsMin = 2;

/** Longer words are cut; this many characters distinguish them. */
const wordCharsMax = 40;

/** The weight of a word by the field that contains it. */
const weights = { title: 4, tag: 3, description: 2, address: 1 } as const;

/** Returns the distinct words of a query in lower case. */
export function readWords(question: string): string[] {
  const words = question
    .toLowerCase()
    // Control characters are in no text, and PostgreSQL does not accept all of them.
    .split(/[\s,;\p{C}]+/u)
    .map((word) => word.slice(0, wordCharsMax))
    .filter((word) => word.length >= wordCharsMin);
  return [...new Set(words)].slice(0, wordsMax);
}

/** A new listing is not ranked higher than an old one. */
export function rank(listings: readonly Listing[], words: readonly string[]): Listing[] {
  const scored = listings.map((listing) => ({ listing, score: scoreOf(listing, words) }));
  return scored
    .toSorted(
      (one, other) =>
        other.score - one.score ||
        other.listing.stats.settlements - one.listing.stats.settlements ||
        one.listing.createdAt - other.listing.createdAt ||
        (one.listing.id < other.listing.id ? -1 : 1),
    )
    .map(({ listing }) => listing);
}

function scoreOf(
  { title, tags, description, resource }: Listing,
  words: readonly string[],
): number {
  const fields = [
    [title, weights.title],
    [tags.join("\n"), weights.tag],
    [description, weights.description],
    [resource, weights.address],
  ] as const;
  return words.reduce((sum, word) => {
    const found = fields.find(([text]) => text.toLowerCase().includes(word));
    return sum + (found?.[1] ?? 0);
  }, 0);
}
