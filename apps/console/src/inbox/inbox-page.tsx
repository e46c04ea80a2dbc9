import type { ReactElement } from 'react';
import { Page } from '../ui/page.js';

export const InboxPage = (): ReactElement => <Page title="Inbox">{null}</Page>;
