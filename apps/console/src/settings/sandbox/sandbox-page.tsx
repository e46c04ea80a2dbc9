import type { ReactElement } from 'react';
import { useAccount } from '../../api/account.js';
import { Page } from '../../ui/page.js';
import { Clock } from './clock.js';
import { Outbox } from './outbox.js';
import { Receive } from './receive.js';
import { Sandboxes } from './sandboxes.js';

/** The extras of a sandbox; elsewhere, the sandboxes that the workspace has made. */
export const SandboxPage = (): ReactElement => (
  <Page
    title="Sandbox"
    intro="A workspace for tests: its mail never leaves, its mailboxes receive what is described, and its clock can be moved."
    width={760}
  >
    {useAccount().workspace.sandbox ? (
      <>
        <Receive />
        <Outbox />
        <Clock />
      </>
    ) : (
      <Sandboxes />
    )}
  </Page>
);
