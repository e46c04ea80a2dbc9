import type { ReactElement } from 'react';
import { Page } from '../ui/page.js';

export const AnalyticsPage = (): ReactElement => <Page title="Analytics">{null}</Page>;
