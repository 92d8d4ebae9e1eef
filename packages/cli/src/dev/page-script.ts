/** Runs in the browser, as text: it may use nothing from outside of the function. */
export function showDevPage(): void {
  // As many rows as the server keeps.
  const rowsMax = 200;
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- the text of this function is sent
  const find = <T extends Element>(id: string, type: new () => T): T => {
    const element = document.getElementById(id);
    if (!(element instanceof type)) throw new Error(`The page has no ${id}.`);
    return element;
  };
  const rows = find("events", HTMLTableSectionElement);
  const method = find("method", HTMLSelectElement);
  const target = find("target", HTMLInputElement);
  const body = find("body", HTMLTextAreaElement);
  const result = find("result", HTMLPreElement);
  const form = find("form", HTMLFormElement);

  const source = new EventSource("/events");
  // After a lost connection the server tells everything again.
  source.addEventListener("open", () => rows.replaceChildren());
  source.addEventListener("message", ({ data }: MessageEvent<string>) => {
    const event: { time: string; kind: string; text: string } = JSON.parse(data);
    const row = document.createElement("tr");
    for (const text of [new Date(event.time).toLocaleTimeString(), event.kind, event.text]) {
      row.insertCell().textContent = text;
    }
    rows.prepend(row);
    while (rows.rows.length > rowsMax) rows.deleteRow(-1);
    find("none", HTMLElement).hidden = true;
  });

  method.addEventListener("change", () => {
    const hasBody = method.value !== "GET" && method.value !== "DELETE";
    find("body-label", HTMLElement).hidden = !hasBody;
  });

  async function pay(): Promise<void> {
    show("The payment is under way.");
    const hasBody = !find("body-label", HTMLElement).hidden;
    const wanted = { method: method.value, target: target.value, body: hasBody ? body.value : "" };
    const response = await fetch("/pay", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(wanted),
    });
    if (!response.ok) return show(await response.text());
    const answer: { status: number; contentType: string; body: string; payment: string } =
      await response.json();
    show(`${answer.status} ${answer.contentType}\n${answer.payment}\n\n${answer.body}`);
  }

  function show(text: string): void {
    find("result-title", HTMLElement).hidden = false;
    result.hidden = false;
    result.textContent = text;
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    pay().catch((error: unknown) => show(String(error)));
  });
}
