import type { ReactElement } from 'react';
import { Page } from '../ui/page.js';
import { Passkeys } from './passkeys.js';
import { Password } from './password.js';
import { Profile } from './profile.js';
import { RecoveryCodes } from './recovery-codes.js';
import { Sessions } from './sessions.js';
import { ThisBrowser } from './this-browser.js';
import { CodeApplication } from './code-application.js';

export const MePage = (): ReactElement => (
  <Page title="Your account" width={860}>
    <Profile />
    <Password />
    <Passkeys />
    <CodeApplication />
    <RecoveryCodes />
    <Sessions />
    <ThisBrowser />
  </Page>
);
