import type { ReactElement } from 'react';
import { useAccount } from '../../api/account.js';
import { apiUrl, Copied } from '../../keys/secret-once.js';
import { clientsByAddress } from '../../start/mcp-clients.js';
import { CopyButton } from '../../ui/copy-button.js';
import { Page, Section } from '../../ui/page.js';
import { Row, Rows } from '../../ui/row.js';
import { AssistantRules } from './assistant-rules.js';
import { Connections } from './connections.js';

/** The assistants of a member, how another is connected, and what administrators allow. */
export const AssistantsPage = (): ReactElement => (
  <Page
    title="Assistants"
    intro="Claude, ChatGPT and others work in the mailboxes that you choose. What they write waits for approval, and none of them sends mail."
    width={860}
  >
    <Connections />
    <ByAddress />
    {useAccount().member.role === 'admin' && <AssistantRules />}
  </Page>
);

function ByAddress(): ReactElement {
  const url = `${apiUrl()}/mcp/latest`;
  return (
    <Section
      title="Connect one"
      about="Paste the address there. A page of Postroom opens, on which you choose what it may do and in which mailboxes."
    >
      <Copied label="Address" value={url} />
      <Rows label="Where it is pasted">
        {clientsByAddress.map(({ name, where, copied }) => (
          <Row key={name} title={name} about={where}>
            <CopyButton value={copied(url)} name={`Copy for ${name}`} />
          </Row>
        ))}
      </Rows>
    </Section>
  );
}
