import { Injectable } from '@nestjs/common';
import {
  builtIns,
  containerOwners,
  Problem,
  type ContainerList,
  type ContainerRef,
  type ContainerType,
} from '@postroom/contracts';
import { OperationClient, type Reading } from '@postroom/operations';

interface Within {
  readonly withinType: ContainerType | 'member' | null;
  readonly withinId: string | null;
}

const nameOf = ({ type, id }: ContainerRef): string => `${type} ${id}`;

/**
 * Finds what a member may read: administrators every approval, the others those whose mailbox, book or calendar
 * they may see now, and those that are theirs alone. The services that own containers are asked.
 */
@Injectable()
export class Visibility {
  constructor(private readonly operations: OperationClient) {}

  async visible<P extends Within>(
    context: Pick<Reading, 'caller' | 'requestId'>,
    places: readonly P[],
  ): Promise<P[]> {
    const { caller } = context;
    if (caller.type === 'member' && caller.role === 'admin') return [...places];
    return this.shownByOwners(context, places);
  }

  /** Those whose container its own service shows to the caller; it is asked about administrators too. */
  async shownByOwners<P extends Within>(
    context: Pick<Reading, 'caller' | 'requestId'>,
    places: readonly P[],
  ): Promise<P[]> {
    const known = await this.containers(context, places.flatMap(containerIn));
    const { caller } = context;
    const own = caller.type === 'member' ? caller.memberId : null;
    return places.filter((place) =>
      place.withinType === 'member'
        ? place.withinId === own
        : containerIn(place).every((one) => known.has(nameOf(one))),
    );
  }

  private async containers(
    { caller, requestId }: Pick<Reading, 'caller' | 'requestId'>,
    all: readonly ContainerRef[],
  ): Promise<ReadonlySet<string>> {
    const distinct = [...new Map(all.map((one) => [nameOf(one), one])).values()];
    const byOwner = Map.groupBy(distinct, ({ type }) => containerOwners[type]);
    const asked = [...byOwner].map(async ([owner, containers]) => {
      const operation = builtIns[owner].visible;
      const reply = await this.operations.call(operation, caller, { containers }, { requestId });
      if (reply.problem !== null) throw new Problem('SERVICE_UNAVAILABLE');
      return (JSON.parse(reply.body.toString()) as ContainerList).containers;
    });
    return new Set((await Promise.all(asked)).flat().map(nameOf));
  }
}

const containerIn = ({ withinType: type, withinId: id }: Within): readonly ContainerRef[] =>
  type === null || type === 'member' || id === null ? [] : [{ type, id }];
