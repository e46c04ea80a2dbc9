import { Injectable } from '@nestjs/common';
import {
  assembleVolumes,
  builtIns,
  Problem,
  serviceNames,
  services,
  type AnalyticsPeriod,
  type ContainerList,
  type ServiceName,
  type ServiceVolumes,
  type VolumeCount,
  type Volumes,
} from '@postroom/contracts';
import { OperationClient, type Reading } from '@postroom/operations';

const counting = serviceNames.filter((name) => services[name].volumes);

/** Gathers the volumes of a period from the services that count. */
@Injectable()
export class VolumeShares {
  constructor(private readonly operations: OperationClient) {}

  /** @throws Problem SERVICE_UNAVAILABLE when one of them does not answer */
  async gather(context: Reading, period: AnalyticsPeriod): Promise<Volumes> {
    const shares = await Promise.all(counting.map((name) => this.ask(context, name, period)));
    const counts = shares.flatMap((share) => share.counts);
    return assembleVolumes(counts, period, await this.mailboxes(context, counts));
  }

  /** The mailboxes that the caller may see, of a member those that something is counted for. */
  private async mailboxes(
    { caller, requestId }: Reading,
    counts: readonly VolumeCount[],
  ): Promise<readonly string[]> {
    if (caller.type === 'key') return Object.keys(caller.grants).sort();
    const named = new Set(counts.flatMap(({ scope }) => scope ?? []));
    const containers = [...named].map((id) => ({ type: 'mailbox' as const, id })).slice(0, 500);
    const asked = builtIns.mail.visible;
    const answer = await this.operations.call(asked, caller, { containers }, { requestId });
    if (answer.problem !== null) throw new Problem('SERVICE_UNAVAILABLE');
    const visible = JSON.parse(answer.body.toString()) as ContainerList;
    return visible.containers.map(({ id }) => id).sort();
  }

  private async ask(
    { caller, requestId }: Reading,
    name: ServiceName,
    period: AnalyticsPeriod,
  ): Promise<ServiceVolumes> {
    const operation = builtIns[name].volumes;
    const answer = await this.operations.call(operation, caller, period, { requestId });
    if (answer.problem !== null) throw new Problem('SERVICE_UNAVAILABLE');
    return JSON.parse(answer.body.toString()) as ServiceVolumes;
  }
}
