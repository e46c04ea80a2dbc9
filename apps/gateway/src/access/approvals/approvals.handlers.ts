import { Injectable } from '@nestjs/common';
import {
  approvalQueue,
  filedApprovals,
  statesAsked,
  type ApprovalCount,
  type ApprovalPage,
  type ListApprovals,
} from '@postroom/contracts';
import { handlers, type Reading } from '@postroom/operations';
import { PageTokens } from '@postroom/persistence';
import { Visibility } from '../visibility.js';
import {
  approvalCounts,
  approvalPlaces,
  findApprovals,
  type ApprovalPlace,
} from './approval-rows.js';
import { approvalView, filedView } from './approval.view.js';
import { Closing } from './closing.js';
import { Decisions } from './decisions.js';
import { FiledCalls } from './filed-calls.js';

/** Bytes of a page, since a hundred large approvals are too much for one answer. */
const pageBytesMax = 4 * 1024 * 1024;
/** Approvals looked at for a page: a member who may see few of them gets shorter pages. */
const scannedMax = 500;

/** Approvals of a workspace that a member may see, newest first. */
@Injectable()
export class ApprovalPages {
  constructor(
    private readonly tokens: PageTokens,
    private readonly visibility: Visibility,
    private readonly closing: Closing,
  ) {}

  async read(
    context: Reading,
    { limit, pageToken, ...asked }: ListApprovals,
  ): Promise<ApprovalPage> {
    const { state = null, key = null, mailbox = null, operation = null, target = null } = asked;
    const filters = [key, mailbox, operation, target];
    const query = ['approvals.list', context.tenantId, state, ...filters];
    const [before = null] = this.tokens.read(query, pageToken);
    const states = statesAsked(asked);
    const values = [states, ...filters, before, scannedMax];
    const scanned = await context.rows(approvalPlaces, values);
    const visible = await this.visibility.visible(context, scanned);
    const page = fitting(visible, limit);
    const found = await context.rows(findApprovals, [page.map(({ id }) => id)]);
    const settled = await Promise.all(found.map((row) => this.closing.settled(context, row)));
    const last = page.length < visible.length ? page.at(-1) : lastOf(scanned);
    return {
      items: settled.map(approvalView),
      counts: pageToken === undefined ? await this.counts(context, filters) : null,
      nextPageToken: last ? this.tokens.issue(query, [last.id]) : null,
    };
  }

  private async counts(context: Reading, filters: readonly unknown[]): Promise<ApprovalCount[]> {
    const found = await context.rows(approvalCounts, filters);
    const visible = await this.visibility.visible(context, found);
    return [...Map.groupBy(visible, ({ state }) => state)].map(([state, all]) => ({
      state,
      approvals: all.reduce((sum, { approvals }) => sum + approvals, 0),
    }));
  }
}

/** The first of them, as many as are asked for and fit; at least one. */
function fitting(places: readonly ApprovalPlace[], limit: number): readonly ApprovalPlace[] {
  let bytes = 0;
  const end = places.findIndex((place, i) => {
    bytes += place.bytes;
    return i >= limit || (i > 0 && bytes > pageBytesMax);
  });
  return end < 0 ? places : places.slice(0, end);
}

/** The place to go on from after all that was looked at; none when there is no more. */
const lastOf = (scanned: readonly ApprovalPlace[]): ApprovalPlace | undefined =>
  scanned.length === scannedMax ? scanned.at(-1) : undefined;

/** The people's side of the queue. */
export const ApprovalsHandlers = handlers(
  approvalQueue,
  [ApprovalPages, Decisions],
  (pages, decisions) => ({
    list: (context, input) => pages.read(context, input),

    get: async (context, { id }) => ({ approval: approvalView(await decisions.find(context, id)) }),

    approve: async (context, { id, comment = null, payload }) => ({
      approval: approvalView(
        await decisions.decide(context, id, { state: 'approved', comment, payload }),
      ),
    }),

    decide: async (context, input) => ({ items: await decisions.decideAll(context, input) }),

    reject: async (context, { id, comment }) => ({
      approval: approvalView(await decisions.decide(context, id, { state: 'rejected', comment })),
    }),
  }),
);

/** The agent's side: what its own key has filed. */
export const FiledApprovalsHandlers = handlers(filedApprovals, [FiledCalls], (filed) => ({
  get: async (context, { id }) => {
    const { row, caller } = await filed.find(context, id);
    return { approval: filedView(row, caller) };
  },
}));
