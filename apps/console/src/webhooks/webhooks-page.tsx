import type { ReactElement } from 'react';
import { Page } from '../ui/page.js';

export const WebhooksPage = (): ReactElement => <Page title="Webhooks">{null}</Page>;
