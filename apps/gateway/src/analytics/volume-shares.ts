import { Injectable } from '@nestjs/common';
import {
  mailVolumes,
  Problem,
  type AnalyticsPeriod,
  type Operation,
  type Volumes,
} from '@postroom/contracts';
import { OperationClient, type Reading } from '@postroom/operations';

/** The services that have a share in the volumes: each is asked for its part of the answer. */
const sharing: readonly Operation[] = [mailVolumes.count];

type Share = Omit<Volumes, 'period'>;

/** What is not counted anywhere yet. */
const nothing: Share = {
  conversations: { created: 0, archived: 0, reopened: 0, open: 0 },
  messages: { received: 0, sent: 0 },
  comments: 0,
  drafts: { created: 0 },
  contacts: { created: 0 },
  events: { created: 0 },
  tasks: { created: 0, completed: 0 },
  approvals: { pending: 0, approved: 0, rejected: 0 },
  byDay: [],
  byMailbox: [],
};

/** Gathers the volumes of a period from the services that have a share in them. */
@Injectable()
export class VolumeShares {
  constructor(private readonly operations: OperationClient) {}

  /** @throws Problem SERVICE_UNAVAILABLE when one of them does not answer */
  async gather(context: Reading, period: AnalyticsPeriod): Promise<Share> {
    const shares = await Promise.all(
      sharing.map((operation) => this.ask(context, operation, period)),
    );
    return Object.assign({}, nothing, ...shares) as Share;
  }

  private async ask(
    { caller, requestId }: Reading,
    operation: Operation,
    period: AnalyticsPeriod,
  ): Promise<Partial<Share>> {
    const answer = await this.operations.call(operation, caller, period, { requestId });
    if (answer.problem !== null) throw new Problem('SERVICE_UNAVAILABLE');
    return JSON.parse(answer.body.toString()) as Partial<Share>;
  }
}
