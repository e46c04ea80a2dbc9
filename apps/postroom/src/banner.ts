import type { DemoFacts } from './demo/index.js';

/** Prints addresses, sign-ins and keys for the person who started Postroom. */
export function printBanner(facts: DemoFacts, demoFile: string): void {
  const [acme] = facts.tenants;
  if (!acme) return;
  const mailbox = acme.mailboxes[0] ?? '';
  const { host, port } = facts.smtp;
  const lines = facts.tenants.flatMap(({ name, admin, member, keys }) => [
    '',
    `  ${name}`,
    `    administrator   ${admin.email}  ${admin.password}`,
    `    member          ${member.email}  ${member.password}`,
    ...Object.entries(keys).map(([key, text]) => `    key ${key.padEnd(12)}${text}`),
  ]);
  console.log(
    [
      '',
      'Postroom is ready.',
      '',
      `  Console    ${facts.consoleUrl}`,
      `  API        ${facts.baseUrl}   (pages for integrators: ${new URL('/docs', facts.baseUrl).href})`,
      `  Settings   ${facts.settingsUrl}`,
      `  Mail in    smtp://${host}:${port}`,
      ...(facts.lmtp ? [`             lmtp://${facts.lmtp.host}:${facts.lmtp.port}`] : []),
      ...lines,
      '',
      'List the conversations of a mailbox:',
      '',
      `curl -H 'X-Api-Key: ${acme.keys.human}' \\`,
      `  '${facts.baseUrl}/v1/conversations?mailbox=${mailbox}'`,
      '',
      `Let an AI agent work (MCP at ${facts.baseUrl}/mcp, docs/mcp.md); a first call:`,
      '',
      `curl -H 'X-Api-Key: ${acme.keys.agent}' -H 'Content-Type: application/json' \\`,
      `  ${facts.baseUrl}/mcp -d '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'`,
      '',
      'Send it a mail, and list again:',
      '',
      `printf 'From: you@example.com\\nTo: ${mailbox}\\nSubject: Hello\\n\\nIt works.\\n' |`,
      `  curl smtp://${host}:${port} --mail-from you@example.com --mail-rcpt ${mailbox} -T -`,
      '',
      'See what the demo’s agent asks for (then: approvals show, approve, reject):',
      '',
      `POSTROOM_PASSWORD=${acme.member.password} npx postroom approvals list \\`,
      `  --url ${facts.baseUrl} --as ${acme.member.email}`,
      '',
      `The same facts are in ${demoFile}. Ctrl-C stops everything.`,
      '',
    ].join('\n'),
  );
}
