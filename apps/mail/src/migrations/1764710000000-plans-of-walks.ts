import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A walk's pages are not planned anew, each of them: that took longer than reading one (docs/adr/0022). */
export class PlansOfWalks1764710000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(['placement', 'status', 'assignee', 'label'].map(keepPlan).join(''));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}

/**
 * A plan that is kept guesses how much has come since the walk began, and too much: it would read
 * every conversation there is for those that a few messages came to. Its guess of the cost is no
 * better, which would have it compiled at each call.
 */
const keepPlan = (by: string): string => `
  ALTER FUNCTION list_by_${by} SET plan_cache_mode = force_generic_plan;
  ALTER FUNCTION list_by_${by} SET enable_seqscan = off;
  ALTER FUNCTION list_by_${by} SET jit = off;
`;
