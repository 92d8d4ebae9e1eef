/** Rule 5: the authorization is valid from `validAfter` on and strictly before `validBefore`. */
import { accept, refuse, type Authorization, type Outcome } from "@farthing/protocol";

/**
 * Judges the window by our clock (Unix seconds). `marginSeconds` is how long it must still be
 * valid: 0 to verify, the time a settlement needs to be mined when it is to be settled.
 */
export function checkTimeWindow(
  { validAfter, validBefore }: Authorization,
  now: bigint,
  marginSeconds: bigint,
): Outcome<undefined> {
  if (now >= validBefore) {
    return refuse(
      "authorization_expired",
      `validBefore was ${now - validBefore} seconds ago; sign a new authorization.`,
    );
  }
  if (now + marginSeconds >= validBefore) {
    return refuse(
      "authorization_expired",
      `The authorization is valid for ${validBefore - now} more seconds, settling takes up to ${marginSeconds}; sign one that lasts longer.`,
    );
  }
  if (now < validAfter) {
    return refuse(
      "authorization_not_yet_valid",
      `validAfter is ${validAfter - now} seconds ahead; sign with an earlier one, such as 0.`,
    );
  }
  return accept(undefined);
}
