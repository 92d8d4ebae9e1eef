/** The frame around each screen: navigation, account and banners. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type ComponentType, type ReactNode } from "react";
import { call } from "./api/call.ts";
import { forgetAccount } from "./api/queries.ts";
import * as Icons from "./components/icons.tsx";
import { Link } from "./components/link.tsx";
import { shortText } from "./components/format.ts";
import { useLocation } from "./location.ts";
import { useAccount } from "./signed-in.ts";
import { AccountBanners } from "./account-banners.tsx";
import { Button } from "./components/button.tsx";

const navigation: readonly (readonly [path: string, title: string, icon: ComponentType])[] = [
  ["", "Overview", Icons.OverviewIcon],
  ["settlements", "Settlements", Icons.SettlementsIcon],
  ["revenue", "Revenue", Icons.RevenueIcon],
  ["keys", "API keys", Icons.KeysIcon],
  ["credits", "Credits", Icons.CreditsIcon],
  ["integrate", "Integrate", Icons.IntegrateIcon],
  ["listings", "Listings", Icons.ListingsIcon],
  ["webhooks", "Webhooks", Icons.WebhooksIcon],
  ["settings", "Settings", Icons.SettingsIcon],
];

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
            <Icons.Mark /> Farthing
          </Link>
          <Button
            look="quiet menu-button"
            aria-expanded={isOpen}
            aria-controls="menu"
            onClick={() => setOpen(!isOpen)}
          >
            <Icons.MenuIcon /> Menu
          </Button>
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
          <CurrentAccount />
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <AccountBanners />
        {children}
      </main>
    </div>
  );
}

function CurrentAccount() {
  const { account, label } = useAccount();
  const client = useQueryClient();
  const signOut = useMutation({
    mutationFn: () => call("/v1/account/sign-out", { method: "POST", body: {} }),
    // Also when the service is not reached: after signing out, nothing more is shown.
    onSettled: () => forgetAccount(client, "signed-out"),
  });
  return (
    <div className="who">
      {label !== "" && <strong>{label}</strong>}
      <code title={account}>{shortText(account)}</code>
      <Button look="quiet small" onClick={() => signOut.mutate()}>
        Sign out
      </Button>
    </div>
  );
}
