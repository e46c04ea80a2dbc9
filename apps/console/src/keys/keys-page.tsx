import type { ReactElement } from 'react';
import { Page } from '../ui/page.js';

export const KeysPage = (): ReactElement => <Page title="API keys">{null}</Page>;
