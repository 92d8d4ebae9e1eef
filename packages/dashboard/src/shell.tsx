/** What stays while screens change: navigation, account, and what has to be known everywhere. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type ComponentType, type ReactNode } from "react";
import { call } from "./api/call.ts";
import { forgetAccount } from "./api/queries.ts";
import {
  CreditsIcon,
  IntegrateIcon,
  KeysIcon,
  ListingsIcon,
  Mark,
  MenuIcon,
  OverviewIcon,
  SettingsIcon,
  SettlementsIcon,
  WebhooksIcon,
} from "./components/icons.tsx";
import { Link } from "./components/link.tsx";
import { shortText } from "./components/format.ts";
import { useLocation } from "./location.ts";
import { useAccount } from "./signed-in.ts";
import { AccountBanners } from "./account-banners.tsx";

const navigation: readonly (readonly [path: string, title: string, icon: ComponentType])[] = [
  ["", "Overview", OverviewIcon],
  ["settlements", "Settlements", SettlementsIcon],
  ["keys", "API keys", KeysIcon],
  ["credits", "Credits", CreditsIcon],
  ["integrate", "Integrate", IntegrateIcon],
  ["listings", "Listings", ListingsIcon],
  ["webhooks", "Webhooks", WebhooksIcon],
  ["settings", "Settings", SettingsIcon],
];

/** The frame around a screen. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const { path } = useLocation();
  const [first = ""] = path.split("/");
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="side">
        <div className="side-head">
          <Link to="" className="brand">
            <Mark /> Farthing
          </Link>
          <button
            type="button"
            className="button quiet menu-button"
            aria-expanded={isOpen}
            aria-controls="menu"
            onClick={() => setOpen(!isOpen)}
          >
            <MenuIcon /> Menu
          </button>
        </div>
        <div id="menu" className={isOpen ? "menu open" : "menu"}>
          <nav aria-label="Main">
            <ul onClick={() => setOpen(false)}>
              {navigation.map(([to, title, Icon]) => (
                <li key={to}>
                  <Link to={to} className="nav-link" isCurrent={first === to}>
                    <Icon /> {title}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          <WhoIsHere />
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <AccountBanners />
        {children}
      </main>
    </div>
  );
}

function WhoIsHere() {
  const { account, label } = useAccount();
  const client = useQueryClient();
  const signOut = useMutation({
    mutationFn: () => call("/v1/account/sign-out", { method: "POST", body: {} }),
    // Also when the service is not reached: whoever signs out wants to see nothing more.
    onSettled: () => forgetAccount(client, "signed-out"),
  });
  return (
    <div className="who">
      {label !== "" && <strong>{label}</strong>}
      <code title={account}>{shortText(account)}</code>
      <button type="button" className="button quiet small" onClick={() => signOut.mutate()}>
        Sign out
      </button>
    </div>
  );
}
