/** A JSON object that is not known further. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** True if a value is nested no deeper than that; checked level by level, without recursion. */
export function isShallow(value: unknown, levelsMax: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levelsMax) return false;
    level = level.flatMap((one) =>
      typeof one === 'object' && one !== null ? (Object.values(one) as unknown[]) : [],
    );
  }
  return true;
}

/**
 * The path of an infinite number in a value: JSON may write one (`1e400`), which would become null when written
 * again. Null where there is none; a value that is nested without end has to be refused before.
 */
export function endlessNumberIn(value: unknown): readonly string[] | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : [];
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    const path = endlessNumberIn(inner);
    if (path !== null) return [name, ...path];
  }
  return null;
}
