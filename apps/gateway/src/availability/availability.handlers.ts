import { availability, availableTimes, Problem, type Availability } from '@postroom/contracts';
import { handlers, OperationClient } from '@postroom/operations';
import { TenantEntity } from '../tenants/index.js';

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
