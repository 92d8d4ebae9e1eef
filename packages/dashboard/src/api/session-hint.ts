/**
 * Whether this browser may be signed in. The cookie is out of reach of scripts, and to ask the
 * service without one is an error in the browser's console, at each visit of the sign-in page.
 */
const storedAs = "farthing:signed-in";

/** Lasts as long as the page, for browsers that refuse storage. */
let isExpected = false;

export function mayHaveSession(): boolean {
  try {
    return isExpected || localStorage.getItem(storedAs) !== null;
  } catch {
    return true;
  }
}

export function expectSession(expected: boolean): void {
  isExpected = expected;
  try {
    if (expected) localStorage.setItem(storedAs, "yes");
    else localStorage.removeItem(storedAs);
  } catch {
    // See isExpected.
  }
}
