/** What makes a handler answer less than was sold. */

/** Headers for which a handler would answer with 304 or 206, in lower case. */
export const partialHeaders = ["if-none-match", "if-modified-since", "range", "if-range"];
