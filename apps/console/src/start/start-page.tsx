import type { ReactElement } from 'react';
import { Page } from '../ui/page.js';

export const StartPage = (): ReactElement => <Page title="First steps">{null}</Page>;
