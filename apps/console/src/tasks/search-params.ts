/** The filters of the tasks, in the address. */
export interface TaskSearch {
  /** The member's own, or a team's by its id; all of the workspace where it is absent. */
  readonly who?: string;
  readonly conversation?: string;
  readonly q?: string;
  /** The task that is open. */
  readonly task?: string;
}

export function taskSearchOf(given: Readonly<Record<string, unknown>>): TaskSearch {
  const names = ['who', 'conversation', 'q', 'task'] as const;
  return Object.fromEntries(
    names
      .map((name) => [name, given[name]] as const)
      .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
      .map(([name, value]) => [name, String(value).slice(0, 500)]),
  );
}
