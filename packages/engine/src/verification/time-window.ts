/** Rule 5: the authorization is valid from `validAfter` on and strictly before `validBefore`. */
import { accept, refuse, type Authorization, type Outcome } from "@farthing/protocol";

/**
 * Judges the window by our clock (Unix seconds). `marginSeconds` is how long it must still be
 * valid: the time that a settlement needs to be mined. `/verify` asks for it as well, because it
 * must not call a payment valid that `/settle` has to refuse.
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
      "authorization_expires_too_soon",
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
