import type { ReactElement } from 'react';
import { Page } from '../ui/page.js';

export const ContactsPage = (): ReactElement => <Page title="Contacts">{null}</Page>;
