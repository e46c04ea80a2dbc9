import type { ReactElement } from 'react';
import { Page } from '../ui/page.js';

export const TasksPage = (): ReactElement => <Page title="Tasks">{null}</Page>;
