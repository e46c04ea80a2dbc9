import type { ReadTarget, Target, TargetContext } from './context.js';

/** What a write would do, as the owning service found by doing it and rolling it back. */
export interface Preview {
  /** The resource that exists already; null of a creation, and where nothing can be read. */
  readonly target: Pick<Target, 'type' | 'id' | 'version'> | null;
  readonly within: Target['within'];
  /** What people call the resource. */
  readonly title: string | null;
  readonly difference: Difference;
}

export interface Difference {
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

/** Carries a preview out of the transaction that is rolled back with it. */
export class Previewed extends Error {
  constructor(readonly preview: Preview) {
    super('preview');
  }
}

/** What a preview is made of. */
export interface PreviewParts {
  readonly context: TargetContext;
  /** How the family's resource is read; undefined for a family without one. */
  readonly read: ReadTarget | undefined;
  readonly input: object;
  /** Does the write, and answers its body. */
  readonly act: () => Promise<object>;
  /** What the write has named as its subject so far. */
  readonly subject: () => string | null;
}

/**
 * Does a write and reads its resource before and after, in a transaction that the caller rolls back. A
 * resource that the input does not name (a creation, which may turn out to be a change) is known by its
 * subject, after the write; what it was before is read when the write is undone.
 */
export async function previewOf(parts: PreviewParts): Promise<Preview> {
  const { context, read, input, act, subject } = parts;
  const { manager } = context;
  const named = subject();
  const target = (id: string | null): Promise<Target | null> =>
    read && id !== null ? read(context, id, input) : Promise.resolve(null);
  const known = await target(named);
  await manager.query('SAVEPOINT preview');
  const answer = await act();
  const after = await target(subject());
  if (named === null) await manager.query('ROLLBACK TO SAVEPOINT preview');
  const before = known ?? (named === null ? await target(subject()) : null);
  const existing = before && { type: before.type, id: before.id, version: before.version };
  return {
    target: existing,
    within: (before ?? after)?.within ?? null,
    title: (after ?? before)?.title ?? null,
    difference: read ? differenceOf(before, after) : { before: null, after: { ...answer } },
  };
}

/** Fields that every change changes, and that tell nothing of it. */
const always = new Set(['version', 'updatedAt']);
/** What a creation gets when it is made. */
const given = new Set([...always, 'id', 'createdAt']);

const without = (view: object, names: ReadonlySet<string>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(view).filter(([name]) => !names.has(name)));

/** The fields that a change changes; the whole of what is created or removed. */
function differenceOf(before: Target | null, after: Target | null): Difference {
  if (!before) return { before: null, after: after && without(after.view, given) };
  if (!after) return { before: { ...before.view }, after: null };
  const now = (name: string): unknown => Reflect.get(after.view, name);
  const old = Object.entries(without(before.view, always)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(now(name)),
  );
  return {
    before: Object.fromEntries(old),
    after: Object.fromEntries(old.map(([name]) => [name, now(name)])),
  };
}
