import { Injectable } from '@nestjs/common';
import {
  availability,
  availableTimes,
  calendarFeeds,
  feedSteps,
  Problem,
  type Availability,
  type Done,
  type FeedSecret,
} from '@postroom/contracts';
import { handlers, OperationClient, UnitOfWork } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { GatewayConfig } from '../config.js';
import { TenantEntity } from './entities.js';
import { ServiceCalls } from './invocation/service-calls.js';

/** A feed's address: the workspace, so that its service knows where to look, and the secret. */
interface FeedAddress {
  readonly tenantId: string;
  readonly secret: string;
}

/** The path of all feeds. */
export const feedsPath = 'feeds';

/** @returns the address as a client is told it */
const feedUrl = (publicUrl: string, { tenantId, secret }: FeedAddress): string =>
  new URL(`/${feedsPath}/${tenantId}.${secret}.ics`, publicUrl).href;

const form = /^(?<tenantId>ten_[0-9A-Za-z]{26})\.(?<secret>[\w-]{43})\.ics$/;

/** Null for what is no address of a feed. */
export function feedAddressOf(name: string): FeedAddress | null {
  const { tenantId, secret } = form.exec(name)?.groups ?? {};
  return tenantId !== undefined && secret !== undefined ? { tenantId, secret } : null;
}

const findActive = statement<object>(
  'access.find_active_member',
  'SELECT FROM members WHERE tenant_id = $1 AND id = $2 AND active',
);

/** Owners of the calendars that feeds show: the gateway knows the members. */
@Injectable()
export class FeedOwners {
  constructor(private readonly work: UnitOfWork) {}

  /** True if a member is there, and not deactivated. */
  async isActive(tenantId: string, memberId: string): Promise<boolean> {
    const found = await this.work.readOnly({ tenantId }, ({ rows }) =>
      rows(findActive, [memberId]),
    );
    return found.length > 0;
  }
}

/** Scheduling knows when the member is busy, the gateway when people work. */
export const AvailabilityHandlers = handlers(availability, [OperationClient], (operations) => ({
  get: async ({ caller, requestId, entities, tenantId: id }, input) => {
    const tenant = await entities((manager) => manager.findOneByOrFail(TenantEntity, { id }));
    const { timeZone = tenant.timeZone } = input;
    const asked = { ...input, timeZone, workingHours: [...tenant.workingHours] };
    const answer = await operations.call(availableTimes.find, caller, asked, { requestId });
    if (answer.problem !== null) throw new Problem('SERVICE_UNAVAILABLE');
    return JSON.parse(answer.body.toString()) as Availability;
  },
}));

/** Scheduling keeps the secret, the gateway knows the address that it is a part of. */
export const CalendarFeedsHandlers = handlers(
  calendarFeeds,
  [ServiceCalls, GatewayConfig],
  (calls, { publicUrl }) => ({
    make: {
      prepare: async ({ caller, requestId, tenantId }, { id: calendarId }) => {
        const operation = feedSteps.make;
        const answer = await calls.make({ operation, caller, input: { calendarId }, requestId });
        const { secret } = JSON.parse(answer.body.toString()) as FeedSecret;
        return () => Promise.resolve({ url: feedUrl(publicUrl, { tenantId, secret }) });
      },
    },

    revoke: {
      prepare: async ({ caller, requestId }, { id: calendarId }) => {
        const operation = feedSteps.revoke;
        const answer = await calls.make({ operation, caller, input: { calendarId }, requestId });
        const done = JSON.parse(answer.body.toString()) as Done;
        return () => Promise.resolve(done);
      },
    },
  }),
);
