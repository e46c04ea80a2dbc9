import { hash } from 'node:crypto';
import { sameText } from '@postroom/contracts';

/** What a mailbox knows a label by, however it is written: a hash, for an index holds no long text. */
export const labelKey = (label: string): string => hash('sha256', sameText(label), 'base64url');
