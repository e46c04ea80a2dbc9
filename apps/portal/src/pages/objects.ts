import { fieldsOf } from '@postroom/contracts';
import { rowsOf } from '../fields.js';
import { type Page, titleOf } from '../page.js';
import { sharedObjects } from '../shared-objects.js';

/** The pages of the objects that several operations and events have, and their list. */
export const objects = (): readonly Page[] => [
  {
    path: '/docs/objects',
    title: 'Objects',
    summary: 'The objects that several operations and events have.',
    section: 'object',
    blocks: [
      [...sharedObjects].map(([dto, path]) => `- [${titleOf(dto.name)}](${path})`).join('\n'),
    ],
  },
  ...[...sharedObjects].map(([dto, path]) => ({
    path,
    title: titleOf(dto.name),
    summary: `The fields of ${dto.name}, which several operations and events have.`,
    section: 'object' as const,
    blocks: [{ heading: 'Fields', fields: rowsOf(fieldsOf(dto)) }],
  })),
];
