/**
 * Keeps the `fetch` of a test process on this machine: the buyer's library asks public nodes unless
 * told otherwise, and no test may depend on them. A set-up file of the tests, and `--import` of the
 * processes that they start.
 */
const real = globalThis.fetch;
const here = /^(127\.\d+\.\d+\.\d+|\[::1\]|(.+\.)?localhost)$/;

/** Marks a `fetch` that stays here already: a process that runs many files comes by for each. */
const mark = Symbol.for("farthing.no-internet");

if (!(mark in real)) globalThis.fetch = Object.assign(fetchHere, { [mark]: true });

function fetchHere(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const url = URL.parse(input instanceof Request ? input.url : String(input));
  const isHere = url === null || !/^https?:$/.test(url.protocol) || here.test(url.hostname);
  if (isHere) return real(input, init);
  return Promise.reject(new TypeError(`fetch failed: tests do not ask ${url.hostname}`));
}
