/** The links at the head of the pages that the service writes. */
import { dashboardPath } from "./dashboard.ts";

/**
 * A self-built service has no accounts, and therefore neither a dashboard nor a market. Guides are
 * linked to where the operator has configured their address.
 */
export function siteLinks(hasAccounts: boolean, docsUrl: string | undefined) {
  return [
    ...(hasAccounts ? [{ href: "/market", text: "Market" }] : []),
    ...(docsUrl === undefined ? [] : [{ href: docsUrl, text: "Guides" }]),
    { href: "/docs", text: "API reference" },
    ...(hasAccounts ? [{ href: dashboardPath, text: "Dashboard" }] : []),
    { href: "/status", text: "Status" },
  ];
}
