import type { ReactElement } from 'react';
import { Page } from '../ui/page.js';

export const SettingsPage = (): ReactElement => <Page title="Settings">{null}</Page>;
