/** The links at the head of the pages that the service writes. */
import { dashboardPath } from "./dashboard.ts";

/** A self-built service has no accounts, and therefore neither a dashboard nor a market. */
export function siteLinks(hasAccounts: boolean) {
  return [
    ...(hasAccounts ? [{ href: "/market", text: "Market" }] : []),
    { href: "/docs", text: "API reference" },
    ...(hasAccounts ? [{ href: dashboardPath, text: "Dashboard" }] : []),
    { href: "/v1/status", text: "Status" },
  ];
}
