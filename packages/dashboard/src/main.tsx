/** Starts the dashboard: looks for wallets, asks who is signed in, shows the screen of the address. */
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiProblem } from "./api/call.ts";
import { forgetAccount } from "./api/queries.ts";
import { App } from "./app.tsx";
import { lookForWallets } from "@farthing/buyer/wallet";
import { restoreConnection } from "./wallet/connection.ts";

/** Reads that met a passing problem are repeated this often before the person hears of it. */
const repeatsMax = 2;

/** A session that has ended ends for all screens at once. */
const onError = (error: Error) => {
  if (error instanceof ApiProblem && error.status === 401) forgetAccount(client, "ended");
};

const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _result, { meta }) => {
      // A key that was tried is no part of the session.
      if (meta?.["isForeign"] !== true) onError(error);
    },
  }),
  defaultOptions: {
    queries: {
      // Screens share what they read; this much apart nobody sees a difference.
      staleTime: 2_000,
      retry: (failures, error) =>
        error instanceof ApiProblem && error.retryable && failures < repeatsMax,
    },
  },
});

lookForWallets();
restoreConnection();

const root = document.getElementById("root");
if (!root) throw new Error("The page has no #root element.");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
