import {
  type Dto,
  eventPayloads,
  FeedEvent,
  fieldsOf,
  isMounted,
  table,
} from '@postroom/contracts';

/** Objects that so many pages speak of have a page of their own. */
const pagesMin = 3;
/** Objects of fewer fields are shown where they stand. */
const fieldsMin = 6;

/** The objects in others, each with the operations and events that have it. */
function usersOfObjects(): ReadonlyMap<Dto, ReadonlySet<string>> {
  const users = new Map<Dto, Set<string>>();
  const visit = (dto: Dto, user: string): void => {
    for (const { part } of fieldsOf(dto)) {
      if (!part) continue;
      const inner = part();
      users.set(inner, (users.get(inner) ?? new Set()).add(user));
      visit(inner, user);
    }
  };
  for (const { id, input, output } of table.filter(isMounted))
    for (const dto of [input, output]) visit(dto, id);
  for (const [type, { data }] of Object.entries(eventPayloads)) {
    for (const dto of [FeedEvent, ...(data ? [data] : [])]) {
      users.set(dto, (users.get(dto) ?? new Set()).add(type));
      visit(dto, type);
    }
  }
  return users;
}

/** The objects that have a page, and its address. */
export const sharedObjects: ReadonlyMap<Dto, string> = new Map(
  [...usersOfObjects()]
    .filter(([dto, users]) => users.size >= pagesMin && fieldsOf(dto).length >= fieldsMin)
    .map(([dto]) => [dto, `/docs/objects/${dto.name}`] as const),
);

/** The address of an object's page; undefined for one that is shown where it stands. */
export const objectPath = (dto: Dto): string | undefined => sharedObjects.get(dto);
