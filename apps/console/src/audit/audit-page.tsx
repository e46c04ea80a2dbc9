import type { ReactElement } from 'react';
import { Page } from '../ui/page.js';

export const AuditPage = (): ReactElement => <Page title="Audit">{null}</Page>;
