import { Code } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAccount } from '../../api/account.js';
import { Page } from '../../ui/page.js';
import { EmptyState } from '../../ui/states.js';
import { Clock } from './clock.js';
import { Receive } from './receive.js';

/** The extras of a sandbox: mail that is described here, and a clock. */
export const SandboxPage = (): ReactElement => (
  <Page
    title="Sandbox"
    intro="A workspace for tests: its mail never leaves, its mailboxes receive what is described here, and its clock is yours to move."
    width={760}
  >
    {useAccount().workspace.sandbox ? (
      <>
        <Receive />
        <Clock />
      </>
    ) : (
      <EmptyState icon="safety" title="This workspace is no sandbox">
        The operator of Postroom makes one, with <Code>postroom sandbox create</Code>.
      </EmptyState>
    )}
  </Page>
);
