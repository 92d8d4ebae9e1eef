import { CodeBlock } from "../../components/code-block.tsx";

const code = `import { createHmac, timingSafeEqual } from "node:crypto";

/** Tells whether a message is ours and fresh. \`body\` is the raw text, before any parsing. */
function isGenuine(headers, body, secret) {
  const id = headers["webhook-id"];
  const timestamp = headers["webhook-timestamp"];
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false;
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const expected = createHmac("sha256", key).update(\`\${id}.\${timestamp}.\${body}\`).digest();
  return headers["webhook-signature"].split(" ").some((one) => {
    const given = Buffer.from(one.replace("v1,", ""), "base64");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}`;

export function HowToVerify() {
  return (
    <>
      <p>
        Messages follow Standard Webhooks. Reject messages older than five minutes, and process each{" "}
        <code>webhook-id</code> once: a message that gets no response in time is sent again with the
        same one.
      </p>
      <details className="more">
        <summary>Code for Node.js</summary>
        <CodeBlock code={code} language="typescript" what="code that checks a message" />
      </details>
    </>
  );
}
