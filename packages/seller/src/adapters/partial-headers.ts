/** Headers for which a handler would respond with 304 or 206, in lower case. */
export const partialHeaders = ["if-none-match", "if-modified-since", "range", "if-range"];
