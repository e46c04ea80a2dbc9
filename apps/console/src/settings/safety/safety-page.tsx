import type { ReactElement } from 'react';
import { Page } from '../../ui/page.js';
import { DlpRules } from './dlp-rules.js';
import { Person } from './person.js';
import { SendSwitch } from './send-switch.js';
import { Suppressions } from './suppressions.js';
import { TryRules } from './try-rules.js';
import { UnknownSends } from './unknown-sends.js';

export const SafetyPage = (): ReactElement => (
  <Page
    title="Safety"
    intro="What may leave, what became of it, and the data of a person."
    width={900}
  >
    <SendSwitch />
    <UnknownSends />
    <DlpRules />
    <TryRules />
    <Suppressions />
    <Person />
  </Page>
);
