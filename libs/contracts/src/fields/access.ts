import { idPattern, isId, type IdPrefix } from '../ids.js';
import { field, type Presence } from './field.js';
import { isIdList } from './id-lists.js';
import { idSchema } from './id.js';
import { isRecord, isString } from './values.js';

/** A member's access to an address book. */
export interface MemberBookAccess {
  readonly member: string;
  readonly access: 'read' | 'write';
}

/** The whole workspace, or what each of some members may do. */
export type BookAccessValue = 'workspace' | MemberBookAccess[];

const membersMax = 1000;

const isEntry = (value: unknown): value is MemberBookAccess =>
  isRecord(value) &&
  isString(value['member']) &&
  isId('mbr', value['member']) &&
  (value['access'] === 'read' || value['access'] === 'write') &&
  Object.keys(value).length === 2;

const isAccess = (value: unknown): value is MemberBookAccess[] =>
  Array.isArray(value) && value.length <= membersMax && value.every(isEntry);

/** Access to an address book: the word `workspace`, or members with their rights. */
export function BookAccess<const O extends Presence & { readonly default?: BookAccessValue }>(
  about: string,
  options?: O,
) {
  return field<BookAccessValue, O>({
    about,
    options,
    schema: () => ({
      oneOf: [
        { type: 'string', const: 'workspace' },
        {
          type: 'array',
          maxItems: membersMax,
          items: {
            type: 'object',
            properties: {
              member: { type: 'string', maxLength: 30, pattern: idPattern('mbr') },
              access: { type: 'string', enum: ['read', 'write'] },
            },
            required: ['member', 'access'],
            additionalProperties: false,
          },
        },
      ],
    }),
    expects: {
      fr: '« workspace » ou une liste de { member, access } attendue',
      en: 'expected "workspace" or a list of { member, access }',
    },
    accepts: (value) => value === 'workspace' || isAccess(value),
    refersTo: 'memberIds',
  });
}

/** The whole workspace, or the ids of the members who have access. */
export type MemberAccess = 'workspace' | string[];

/** Access: the word `workspace`, or a list of identifiers. */
export function Access<const O extends Presence & { readonly default?: MemberAccess }>(
  prefix: IdPrefix,
  about: string,
  options?: O,
) {
  return field<MemberAccess, O>({
    about,
    options,
    schema: () => ({
      oneOf: [
        { type: 'string', const: 'workspace' },
        { type: 'array', uniqueItems: true, maxItems: membersMax, items: idSchema(prefix) },
      ],
    }),
    expects: {
      fr: '« workspace » ou une liste sans répétition d’identifiants attendue',
      en: 'expected "workspace" or a list, without repetition, of identifiers',
    },
    accepts: (value) => value === 'workspace' || isIdList(prefix, value, membersMax),
    ...(prefix === 'mbr' && { refersTo: 'memberIds' }),
  });
}
