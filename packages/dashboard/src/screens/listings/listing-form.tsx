import { useState } from "react";
import type { ListingJson, ListingTrial } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { listingsPath, listingsQuery } from "../../api/queries.ts";
import { Dialog, DialogActions } from "../../components/dialog.tsx";
import { Problem } from "../../components/problem.tsx";
import { useNetwork } from "../../chosen-network.ts";
import { useAccount } from "../../signed-in.ts";
import {
  draftOf,
  endpointOf,
  hasSample,
  listingMethods,
  listingOf,
  problemsOf,
  type DraftProblems,
  type ListingDraft,
} from "./listing-draft.ts";
import { TrialSteps } from "./trial-steps.tsx";
import { Button } from "../../components/button.tsx";
import { Form, SelectField, TextAreaField, TextField } from "../../components/field.tsx";
import { useChange } from "../../components/use-change.ts";

interface ListingFormProps {
  readonly listing?: ListingJson;
  readonly onClose: () => void;
  readonly onSaved: (listing: ListingJson) => void;
}

export function ListingForm({ listing, onClose, onSaved }: ListingFormProps) {
  const network = useNetwork();
  const [draft, setDraft] = useState(() => draftOf(listing, network?.id ?? ""));
  const change = (changes: Partial<ListingDraft>) => setDraft({ ...draft, ...changes });
  const part: PartProps = { draft, problems: problemsOf(draft), change };
  const endpoint = endpointOf(draft);
  const whole = listingOf(draft, listing?.mimeType ?? null);
  const save = useChange({
    send: (body: object) =>
      listing
        ? call<ListingJson>(`${listingsPath}/${listing.id}`, { method: "PUT", body })
        : call<ListingJson>(listingsPath, { method: "POST", body }),
    refreshes: [listingsQuery],
    announces: listing ? "Saved" : "Listed",
    done: onSaved,
  });
  const trial = useChange({
    send: ({ resource: url, ...rest }: NonNullable<typeof endpoint>) =>
      call<ListingTrial>("/v1/listings/check", { method: "POST", body: { url, ...rest } }),
    announces: ({ ok }) => (ok ? "The check passed" : "The check did not pass"),
  });
  return (
    <Dialog title={listing ? "Change the listing" : "List an endpoint"} onClose={onClose}>
      <Form onSubmit={() => whole && save.mutate(whole)}>
        <fieldset className="plain" disabled={save.isPending}>
          <EndpointFields {...part} />
          <TextFields {...part} />
          <SampleFields {...part} isOpen={listing !== undefined && hasSample(listing)} />
        </fieldset>
        {trial.error && <Problem problem={trial.error} />}
        {trial.data && <TrialSteps trial={trial.data} />}
        {save.error && <Problem problem={save.error} />}
        <DialogActions onClose={onClose}>
          <Button
            disabled={!endpoint || trial.isPending}
            onClick={() => endpoint && trial.mutate(endpoint)}
          >
            {trial.isPending ? "Checking…" : "Run check"}
          </Button>
          <Button type="submit" look="primary" disabled={!whole || save.isPending}>
            {listing ? "Save" : "Publish listing"}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

interface PartProps {
  readonly draft: ListingDraft;
  readonly problems: DraftProblems;
  readonly change: (changes: Partial<ListingDraft>) => void;
}

function EndpointFields({ draft, problems, change }: PartProps) {
  const { networks } = useAccount();
  return (
    <>
      <TextField
        label="Address"
        hint="HTTPS on port 443 or 8443, reachable from the internet."
        error={problems.resource}
        type="url"
        required
        value={draft.resource}
        placeholder="https://api.example.com/v1/report"
        onText={(text) => change({ resource: text.trim() })}
      />
      <div className="field-pair">
        <SelectField
          label="Method"
          value={draft.method}
          options={listingMethods.map((method) => [method, method])}
          onText={(method) => change({ method })}
        />
        <TextField
          label="Price in USDC"
          hint="Must match the endpoint’s price exactly."
          error={problems.price}
          required
          inputMode="decimal"
          autoComplete="off"
          value={draft.price}
          placeholder="0.01"
          onText={(text) => change({ price: text.trim() })}
        />
      </div>
      {networks.length > 1 && (
        <SelectField
          label="Network"
          value={draft.network}
          options={networks.map(({ id, label }) => [id, label])}
          onText={(network) => change({ network })}
        />
      )}
    </>
  );
}

function TextFields({ draft, problems, change }: PartProps) {
  return (
    <>
      <TextField
        label="Title"
        required
        maxLength={80}
        value={draft.title}
        placeholder="Weather report"
        onText={(title) => change({ title })}
      />
      <TextAreaField
        label="Description"
        hint="What buyers get, in one or two sentences."
        rows={2}
        maxLength={500}
        value={draft.description}
        onText={(description) => change({ description })}
      />
      <TextField
        label="Tags"
        hint="Search keywords, separated by commas."
        error={problems.tags}
        value={draft.tags}
        placeholder="weather, forecast"
        onText={(tags) => change({ tags })}
      />
    </>
  );
}

/** For endpoints that read the request before they ask for payment. */
function SampleFields({
  draft,
  problems,
  change,
  isOpen,
}: PartProps & { readonly isOpen: boolean }) {
  return (
    <details className="more" open={isOpen}>
      <summary>Example request</summary>
      <TextField
        label="Query"
        hint="The part after the question mark, such as city=Rome&days=2"
        value={draft.query}
        onText={(text) => change({ query: text.trim().replace(/^\?/, "") })}
      />
      {draft.method !== "GET" && (
        <TextAreaField
          label="Body"
          hint="JSON, sent with checks and shown to buyers."
          error={problems.body}
          rows={4}
          className="mono"
          value={draft.body}
          onText={(body) => change({ body })}
        />
      )}
    </details>
  );
}
