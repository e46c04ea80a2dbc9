import { fieldsOf } from '@postroom/contracts';
import { rowsOf } from '../fields.js';
import { type Page, titleOf } from '../page.js';
import { sharedObjects } from '../shared-objects.js';

/** The pages of the objects that many operations and events have. */
export const objects = (): readonly Page[] =>
  [...sharedObjects].map(([dto, path]) => ({
    path,
    title: titleOf(dto.name),
    summary: `The fields of ${dto.name}, which several operations and events have.`,
    section: 'object',
    blocks: [{ heading: 'Fields', fields: rowsOf(fieldsOf(dto)) }],
  }));
