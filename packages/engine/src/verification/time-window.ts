/** Rule 5: the authorization is valid from `validAfter` on and strictly before `validBefore`. */
import { accept, refuse, type Authorization, type Outcome } from "@farthing/protocol";

/**
 * `now` is our clock in Unix seconds. The authorization must stay valid for `marginSeconds`, the
 * time until a settlement is mined. `/verify` requires it too, so that it accepts nothing that
 * `/settle` refuses.
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
