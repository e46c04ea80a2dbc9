import type { ReactElement } from 'react';
import { Page } from '../ui/page.js';

export const CalendarPage = (): ReactElement => <Page title="Calendar">{null}</Page>;
