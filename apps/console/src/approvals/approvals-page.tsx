import type { ReactElement } from 'react';
import { Page } from '../ui/page.js';

export const ApprovalsPage = (): ReactElement => <Page title="Approvals">{null}</Page>;
