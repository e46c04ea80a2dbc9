import type { ContactItem } from '@postroom/contracts';

const texts = {
  ...{ displayName: 'Name', givenName: 'Given name', familyName: 'Family name' },
  ...{ organization: 'Organization', jobTitle: 'Job title', birthday: 'Birthday', notes: 'Notes' },
} as const;

/** Entries that a contact may have. */
const lists = [
  ['emails', 'Address', 10],
  ['phones', 'Phone', 10],
  ['urls', 'Web page', 5],
] as const;

/** All of the other contact that the survivor has no place for: texts that it has itself, and entries over the limits. */
export function lossesOf(survivor: ContactItem, other: ContactItem): readonly string[] {
  const keys = Object.keys(texts) as (keyof typeof texts)[];
  const ofTexts = keys
    .filter((key) => survivor[key] && other[key] && survivor[key] !== other[key])
    .map((key) => `${texts[key]}: ${other[key] ?? ''}`);
  const ofLists = lists.flatMap(([key, name, max]) => {
    const [own, more] = [survivor[key] ?? [], other[key] ?? []];
    const known = new Set(own.map(({ value }) => value.toLowerCase()));
    const added = more.filter(({ value }) => !known.has(value.toLowerCase()));
    return added.slice(Math.max(0, max - own.length)).map(({ value }) => `${name}: ${value}`);
  });
  return [...ofTexts, ...ofLists];
}
