import type { ReactElement } from 'react';
import { Page } from '../ui/page.js';

export const MePage = (): ReactElement => <Page title="Your account">{null}</Page>;
