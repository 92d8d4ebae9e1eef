import { Empty } from "../../components/page.tsx";
import { ExampleRow } from "../../components/example-row.tsx";

export function NoSettlements() {
  return (
    <Empty title="No settlements yet" link={["integrate", "Integrate"]} example={example}>
      <p>
        Every payment that you settle through this facilitator appears here within seconds. Charge
        for a route of your API, and pay for it once.
      </p>
    </Empty>
  );
}

const example = (
  <ExampleRow
    of="settlement"
    cells={[
      ["Sold", "GET /reports/:id", "start"],
      ["Time", "2 seconds ago", "start"],
      ["Amount (USDC)", "0.01", "end"],
      ["Counterparty", "0x7099…79C8", "start"],
      ["State", "confirmed", "end"],
    ]}
  />
);
