import { Injectable } from '@nestjs/common';
import {
  assembleVolumes,
  builtIns,
  Problem,
  serviceNames,
  services,
  type AnalyticsPeriod,
  type ServiceName,
  type ServiceVolumes,
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
    const { caller } = context;
    const granted = caller.type === 'key' ? Object.keys(caller.grants).sort() : [];
    return assembleVolumes(
      shares.flatMap(({ counts }) => counts),
      period,
      granted,
    );
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
