import type { ReadTarget, Target, TargetContext } from './context.js';

/** The effect that a write would have: the owning service does the write and rolls it back. */
export interface Preview {
  /** The resource that exists already; null of a creation, and where nothing can be read. */
  readonly target: Pick<Target, 'type' | 'id' | 'version'> | null;
  readonly within: Target['within'];
  /** Title of the resource, for people. */
  readonly title: string | null;
  readonly difference: Difference;
}

interface Difference {
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

/** Carries a preview out of the transaction that is rolled back with it. */
export class Previewed extends Error {
  constructor(readonly preview: Preview) {
    super('preview');
  }
}

/** The parts that a preview is made of. */
interface PreviewParts {
  readonly context: TargetContext;
  /** Reads the family's resource; undefined for a family without one. */
  readonly read: ReadTarget | undefined;
  readonly input: object;
  /** Does the write, and answers its body. */
  readonly act: () => Promise<object>;
  /** The subject that the write has named so far. */
  readonly subject: () => string | null;
  /** The resources of the events that the write has emitted so far. */
  readonly touched: readonly Pick<Target, 'type' | 'id'>[];
}

/** Does a write and reads its resource before and after, in a transaction that the caller rolls back. */
export async function previewOf(parts: PreviewParts): Promise<Preview> {
  const { read, act, subject } = parts;
  if (!read) {
    const after = { ...(await act()) };
    return { target: null, within: null, title: null, difference: { before: null, after } };
  }
  const id = subject();
  return id === null ? ofCreation(parts, read) : ofChange(parts, read, id);
}

async function ofChange(parts: PreviewParts, read: ReadTarget, id: string): Promise<Preview> {
  const { context, input, act, touched } = parts;
  const before = await read(context, id, input);
  await act();
  const preview = previewFrom(before, await read(context, id, input));
  const others = touched.filter((one) => one.type === before?.type && one.id !== id);
  const created = [];
  for (const otherId of new Set(others.map((one) => one.id))) {
    const other = await read(context, otherId, input);
    if (before && other) created.push(without(changesOf(before.view, other.view).after, given));
  }
  return created.length === 0 ? preview : withCreated(preview, created);
}

/**
 * A change that makes further resources of its kind, such as the series of the occurrences that follow: each is
 * shown by what it has otherwise than the one that was changed.
 */
const withCreated = (
  { difference: { before, after }, ...preview }: Preview,
  created: readonly object[],
): Preview => ({
  ...preview,
  difference: { before: { ...before, created: [] }, after: { ...after, created } },
});

/**
 * A resource that the input does not name is known by its subject, after the write. It may have existed already:
 * its state before is read after the write is undone.
 */
async function ofCreation(parts: PreviewParts, read: ReadTarget): Promise<Preview> {
  const { context, input, act, subject } = parts;
  const target = async (): Promise<Target | null> => {
    const id = subject();
    return id === null ? null : read(context, id, input);
  };
  await context.manager.query('SAVEPOINT preview');
  await act();
  const after = await target();
  await context.manager.query('ROLLBACK TO SAVEPOINT preview');
  return previewFrom(await target(), after);
}

function previewFrom(before: Target | null, after: Target | null): Preview {
  const shown = after ?? before;
  return {
    target: before && { type: before.type, id: before.id, version: before.version },
    within: shown?.within ?? null,
    title: shown?.title ?? null,
    difference: differenceOf(before, after),
  };
}

/** Fields that every change changes, and that say nothing about it. */
const always = new Set(['version', 'updatedAt']);
/** Fields that a new resource gets without the input. */
const given = new Set([...always, 'id', 'createdAt']);

const without = (view: object, names: ReadonlySet<string>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(view).filter(([name]) => !names.has(name)));

/** The fields that a change changes; the whole of what is created or removed. */
export function differenceOf(
  before: Pick<Target, 'view'> | null,
  after: Pick<Target, 'view'> | null,
): Difference {
  if (!before) return { before: null, after: after && without(after.view, given) };
  if (!after) return { before: { ...before.view }, after: null };
  return changesOf(before.view, after.view);
}

type Fields = Readonly<Record<string, unknown>>;

function changesOf(before: object, after: object): { before: Fields; after: Fields } {
  const now = (name: string): unknown => Reflect.get(after, name);
  const old = Object.entries(without(before, always)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(now(name)),
  );
  return {
    before: Object.fromEntries(old),
    after: Object.fromEntries(old.map(([name]) => [name, now(name)])),
  };
}
